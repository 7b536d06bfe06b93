import '../styles/ledger.css'
import { useEffect, useState } from 'react'
import type { TrashEntry } from '../api/daemon-client.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { FailureNotice } from '../app/failure-notice.tsx'
import { Modal } from '../app/modal.tsx'
import { useServices } from '../app/services.ts'
import { useVault } from '../vaults/vault-context.ts'
import { DeletedRow, refusedText } from './deleted-row.tsx'
import { loadDeleted } from './load-deleted.ts'
import { LostNotes } from './lost-notes.tsx'

const AT_ONCE = 200

/** The deleted notes, attachments and folders of a vault: who deleted what and when, with buttons to restore it. */
export default function TrashPage() {
  const { client } = useServices()
  const { vault, tree } = useVault()
  const [count, setCount] = useState(AT_ONCE)
  const [loaded, reload] = useLoaded(`deleted notes ${vault.id}`, (signal) =>
    loadDeleted(client, vault.id, { count, signal }),
  )
  // The tree changes with the vault, so something may be deleted or back.
  useEffect(reload, [tree, count, reload])
  useEffect(() => {
    document.title = `Deleted notes · ${vault.displayName}`
  }, [vault.displayName])

  return (
    <div className="note-scroll">
      <div className="ledger">
        <h1>Deleted notes</h1>
        {loaded.state === 'loading' && <p className="quiet">Reading…</p>}
        {loaded.state === 'refused' && (
          <FailureNotice refusal={loaded.refusal} retryInSeconds={loaded.retryInSeconds} onRetry={reload} />
        )}
        {loaded.state === 'ready' && loaded.value.entries.length === 0 && !loaded.value.hasMore && (
          <p className="quiet">
            Nothing that was deleted here is kept. What you delete stays until it is deleted for good.
          </p>
        )}
        {loaded.state === 'ready' && loaded.value.entries.length > 0 && (
          <ul className="plain-list">
            {loaded.value.entries.map((entry) => (
              <Entry key={entry.id} entry={entry} onGone={reload} />
            ))}
          </ul>
        )}
        {loaded.state === 'ready' && loaded.value.hasMore && (
          <button type="button" className="button" onClick={() => setCount(count + AT_ONCE)}>
            Show older ones
          </button>
        )}
        {loaded.state === 'ready' && !loaded.value.hasMore && <LostNotes />}
      </div>
    </div>
  )
}

function Entry({ entry, onGone }: { entry: TrashEntry; onGone: () => void }) {
  const { client } = useServices()
  const { vault, here, can, open, refreshTree, announce } = useVault()
  const [asking, setAsking] = useState(false)
  const isOwn = entry.deletedBy === here.person.id
  const mayRestore = isOwn || entry.person?.id === here.person.id || can('restore_of_others')
  const restore = async () => {
    try {
      const path = await client.restoreTrash(vault.id, entry.id)
      refreshTree()
      announce(`Restored ${path}`)
      if (entry.kind === 'note') open(path)
      onGone()
    } catch (thrown) {
      announce(refusedText(thrown, entry.path))
    }
  }

  const by = isOwn ? 'You' : (entry.deletedByName ?? entry.deletedBy)
  return (
    <DeletedRow path={entry.path} by={by} at={entry.deletedAt}>
      {mayRestore && (
        <button type="button" className="button" onClick={() => void restore()}>
          Restore
        </button>
      )}
      {can('delete_permanently') && (
        <button type="button" className="button" onClick={() => setAsking(true)}>
          Delete for good
        </button>
      )}
      {asking && <PurgeDialog entry={entry} onClose={() => setAsking(false)} onGone={onGone} />}
    </DeletedRow>
  )
}

type PurgeProps = { entry: TrashEntry; onClose: () => void; onGone: () => void }

function PurgeDialog({ entry, onClose, onGone }: PurgeProps) {
  const { client } = useServices()
  const { vault } = useVault()
  const [failed, setFailed] = useState<string>()
  const purge = async () => {
    setFailed(undefined)
    try {
      await client.purgeTrash(vault.id, entry.id)
      onGone()
    } catch (thrown) {
      setFailed(refusedText(thrown, entry.path))
    }
  }

  return (
    <Modal label="Delete for good" onClose={onClose}>
      <h2>Delete {entry.path} for good?</h2>
      <p>Nobody can restore it afterwards, and its history cannot be read any more.</p>
      {failed !== undefined && (
        <p className="field-error" role="alert">
          {failed}
        </p>
      )}
      <div className="modal-actions">
        <button type="button" className="button" autoFocus onClick={onClose}>
          Keep it
        </button>
        <button type="button" className="button danger" onClick={() => void purge()}>
          Delete for good
        </button>
      </div>
    </Modal>
  )
}
