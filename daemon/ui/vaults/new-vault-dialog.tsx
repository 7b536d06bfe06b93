import { slugify } from '@svc/shared/wire/slug.ts'
import { useState, type FormEvent } from 'react'
import { asRefusal, type Refusal } from '../api/refusal.ts'
import { FormEnd } from '../app/form-end.tsx'
import { Modal } from '../app/modal.tsx'
import { useServices } from '../app/services.ts'

type Props = { onClose: () => void; onCreated: (vaultId: string) => void }

/** Asks for a name and creates a vault; the short name becomes its directory. */
export default function NewVaultDialog({ onClose, onCreated }: Props) {
  const { client } = useServices()
  const [displayName, setDisplayName] = useState('')
  const [typedSlug, setTypedSlug] = useState<string>()
  const [refusal, setRefusal] = useState<Refusal>()
  const [busy, setBusy] = useState(false)
  const slug = typedSlug ?? slugify(displayName)

  const create = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    try {
      const vault = await client.createVault({ displayName: displayName.trim(), slug })
      onCreated(vault.id)
    } catch (thrown) {
      setRefusal(asRefusal(thrown))
      setBusy(false)
    }
  }

  return (
    <Modal label="New vault" onClose={onClose}>
      <form onSubmit={(event) => void create(event)}>
        <h2>New vault</h2>
        <label className="field">
          Name
          <input
            value={displayName}
            required
            maxLength={200}
            onChange={(event) => setDisplayName(event.target.value)}
          />
        </label>
        <label className="field">
          Short name
          <input
            value={slug}
            required
            minLength={2}
            maxLength={40}
            pattern="[a-z0-9]+(-[a-z0-9]+)*"
            title="Lower-case letters, digits and single hyphens"
            onChange={(event) => setTypedSlug(event.target.value)}
          />
          <span className="hint">Also the name of its folder on disk. It cannot be changed later.</span>
        </label>
        <FormEnd submit="Create vault" disabled={busy} onCancel={onClose} refusal={refusal && explained(refusal)} />
      </form>
    </Modal>
  )
}

function explained({ code, message, details }: Refusal): string {
  if (code === 'vault_exists') return 'A vault with this short name exists. Choose another.'
  const [problem] = Array.isArray(details) ? (details as { path?: string; message?: string }[]) : []
  return problem?.message === undefined ? message : `${problem.path}: ${problem.message}`
}
