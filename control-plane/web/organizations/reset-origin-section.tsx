import { useState } from 'react'
import type { Organization } from '../answers.ts'
import { api } from '../api.ts'
import { Button } from '../controls/button.tsx'
import { ConfirmDialog } from '../controls/dialog.tsx'
import { Notice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'

/** Gives the vaults of the organization a new web address. */
export function ResetOriginSection({ organization: { id, name } }: { organization: Organization }) {
  const [open, setOpen] = useState(false)
  const [done, setDone] = useState(false)
  return (
    <Section
      tone="danger"
      title="Reset the address of vaults"
      note="Use this when a page in a vault may have been harmful, for example after a connection key was in wrong hands. Whatever it left in browsers stays at the old address."
      action={<Button onClick={() => setOpen(true)}>Reset address</Button>}
    >
      {done && (
        <Notice tone="good">
          <p>The vaults have a new address. Open them from the list of vaults.</p>
        </Notice>
      )}
      {open && (
        <ConfirmDialog
          title={`Reset the address of the vaults of ${name}?`}
          confirm="Reset address"
          look="danger"
          onConfirm={async () => {
            await api.resetVaultOrigin(id)
            setDone(true)
          }}
          onClose={() => setOpen(false)}
        >
          <p>
            Everybody who has a vault open is thrown out and opens it anew from here. Bookmarks of notes end, and text
            that a browser has not sent yet is lost.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
