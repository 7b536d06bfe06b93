import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { Organization } from '../answers.ts'
import { api } from '../api.ts'
import { useSession } from '../app/session.tsx'
import { Button } from '../controls/button.tsx'
import { ConfirmDialog } from '../controls/dialog.tsx'
import { TextField } from '../controls/field.tsx'
import { Section } from '../controls/section.tsx'

/** Deletes the organization, after its exact name has been typed. */
export function DeleteSection({ organization: { id, name, daemonMode } }: { organization: Organization }) {
  const { refresh } = useSession()
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState('')

  return (
    <Section
      tone="danger"
      title="Delete organization"
      note={
        daemonMode === 'cloud_hosted'
          ? 'Deletes the organization, its host and everything in its vaults. This cannot be undone; export vaults first.'
          : 'Deletes the organization here and cuts its host off. The files on your machine stay as they are.'
      }
      action={
        <Button
          look="danger"
          onClick={() => {
            setTyped('')
            setOpen(true)
          }}
        >
          Delete organization
        </Button>
      }
    >
      {open && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          confirm="Delete for good"
          look="danger"
          ready={typed === name}
          onConfirm={async () => {
            await api.deleteOrganization(id, typed)
            await navigate('/')
            await refresh()
          }}
          onClose={() => setOpen(false)}
        >
          <p>
            All members lose access at once.{' '}
            {daemonMode === 'cloud_hosted' && 'The host is torn down first; this can take a minute. '}
            Type <strong className="literal">{name}</strong> to confirm.
          </p>
          <TextField
            label="Organization name"
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
