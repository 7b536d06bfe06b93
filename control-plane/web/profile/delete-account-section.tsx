import { useState } from 'react'
import { authApi } from '../account/auth-api.ts'
import { explainFresh } from '../account/fresh-sign-in.tsx'
import { useSession, useSettings } from '../app/session.tsx'
import { Button } from '../controls/button.tsx'
import { ConfirmDialog } from '../controls/dialog.tsx'
import { TextField } from '../controls/field.tsx'
import { Section } from '../controls/section.tsx'

/** Deletes the account, after its address has been typed. */
export function DeleteAccountSection() {
  const { profile } = useSettings()
  const { refresh } = useSession()
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const show = () => {
    setTyped('')
    setOpen(true)
  }

  return (
    <Section
      tone="danger"
      title="Delete account"
      note="Ends your account with its sessions, programs and memberships. Notes that you wrote stay in their vaults. An organization that you alone administer needs another admin first."
      action={
        <Button look="danger" onClick={show}>
          Delete account
        </Button>
      }
    >
      {open && (
        <ConfirmDialog
          title="Delete your account?"
          confirm="Delete for good"
          look="danger"
          ready={typed.trim() === profile.email}
          onConfirm={async () => {
            await authApi.deleteAccount(profile.email)
            await refresh()
          }}
          onClose={() => setOpen(false)}
          explainFailure={explainFresh}
        >
          <p>
            This cannot be undone. Type <strong className="literal">{profile.email}</strong> to confirm.
          </p>
          <TextField
            label="Your e-mail"
            value={typed}
            autoFocus
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
        </ConfirmDialog>
      )}
    </Section>
  )
}
