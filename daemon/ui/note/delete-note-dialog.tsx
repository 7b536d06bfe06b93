import { useState } from 'react'
import { asRefusal, type Refusal } from '../api/refusal.ts'
import { failureText } from '../app/failure-text.ts'
import { Modal } from '../app/modal.tsx'
import { useServices } from '../app/services.ts'
import { useVault } from '../vaults/vault-context.ts'

type Props = { path: string; onClose: () => void }

/** Asks before a note goes to the vault's trash. */
export function DeleteNoteDialog({ path, onClose }: Props) {
  const { client, navigation } = useServices()
  const { vault, sessions, refreshTree, announce } = useVault()
  const [refusal, setRefusal] = useState<Refusal>()
  const [busy, setBusy] = useState(false)

  const remove = async () => {
    const ref = { vaultId: vault.id, path }
    setBusy(true)
    try {
      const baseline = sessions.find(path)?.current().saving.stored.baseline ?? (await client.readNote(ref)).baseline
      await client.trashNote(ref, baseline)
      sessions.drop(path)
      refreshTree()
      navigation.replace({ vaultId: vault.id })
      announce(`${path} is in the trash`)
      onClose()
    } catch (thrown) {
      setRefusal(asRefusal(thrown))
      setBusy(false)
    }
  }

  return (
    <Modal label="Move to the trash" onClose={onClose}>
      <h2>Move this note to the trash?</h2>
      <p>
        <strong>{path}</strong> leaves the tree and the search. It stays in the vault’s trash, from where it can be
        restored.
      </p>
      {refusal && (
        <p className="field-error" role="alert">
          {refusal.code === 'stale_doc'
            ? 'The note was changed in the meantime. Look at it again before you delete it.'
            : failureText(refusal).title}
        </p>
      )}
      <div className="modal-actions">
        <button type="button" className="button" autoFocus onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="button danger" disabled={busy} onClick={() => void remove()}>
          Move to trash
        </button>
      </div>
    </Modal>
  )
}
