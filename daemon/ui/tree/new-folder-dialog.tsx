import { useState, type FormEvent } from 'react'
import { asRefusal, type Refusal } from '../api/refusal.ts'
import { failureText } from '../app/failure-text.ts'
import { FormEnd } from '../app/form-end.tsx'
import { Modal } from '../app/modal.tsx'
import { useServices } from '../app/services.ts'
import { useVault } from '../vaults/vault-context.ts'
import { typedPath } from './moved-path.ts'

type Props = { inFolder: string; onClose: () => void }

/** Asks for a name and makes a folder. */
export default function NewFolderDialog({ inFolder, onClose }: Props) {
  const { client } = useServices()
  const { vault, refreshTree, announce } = useVault()
  const [typed, setTyped] = useState(inFolder === '' ? '' : `${inFolder}/`)
  const [refusal, setRefusal] = useState<Refusal>()
  const [busy, setBusy] = useState(false)
  const path = typedPath(typed)

  const create = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    try {
      await client.createFolder({ vaultId: vault.id, path })
      refreshTree()
      onClose()
      announce(`Made the folder ${path}`)
    } catch (thrown) {
      setRefusal(asRefusal(thrown))
      setBusy(false)
    }
  }

  return (
    <Modal label="New folder" onClose={onClose}>
      <form onSubmit={(event) => void create(event)}>
        <h2>New folder</h2>
        <label className="field">
          Name, with the folder that it lies in if there is one
          <input
            value={typed}
            required
            autoFocus
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => {
              setTyped(event.target.value)
              setRefusal(undefined)
            }}
          />
        </label>
        <FormEnd
          submit="Make folder"
          disabled={busy || path === '' || path === inFolder}
          onCancel={onClose}
          refusal={
            refusal &&
            (refusal.code === 'invalid_request' ? 'A folder cannot have this name.' : failureText(refusal).title)
          }
        />
      </form>
    </Modal>
  )
}
