import { useState } from 'react'
import type { DeletedNote } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import type { z } from 'zod'
import { useLoaded } from '../api/use-loaded.ts'
import { FailureNotice } from '../app/failure-notice.tsx'
import { useServices } from '../app/services.ts'
import { useVault } from '../vaults/vault-context.ts'
import { DeletedRow, refusedText } from './deleted-row.tsx'

/** The deleted notes that only the history still has: another program removed their files, or emptied the trash. */
export function LostNotes() {
  const [pages, setPages] = useState(['0'])
  return pages.map((cursor, index) => (
    <Page
      key={cursor}
      cursor={cursor}
      isLast={index === pages.length - 1}
      onMore={(next) => setPages([...pages, next])}
    />
  ))
}

type PageProps = { cursor: string; isLast: boolean; onMore: (cursor: string) => void }

function Page({ cursor, isLast, onMore }: PageProps) {
  const { client } = useServices()
  const { vault } = useVault()
  const [loaded, reload] = useLoaded(`deleted ${vault.id} ${cursor}`, (signal) =>
    client.listDeletedNotes(vault.id, cursor, signal),
  )
  if (loaded.state === 'loading') return <p className="quiet">Looking through the history…</p>
  if (loaded.state === 'refused')
    return <FailureNotice refusal={loaded.refusal} retryInSeconds={loaded.retryInSeconds} onRetry={reload} />
  const { notes, nextCursor } = loaded.value
  if (notes.length === 0) return null
  return (
    <>
      {cursor === '0' && (
        <>
          <h2>Only in the history</h2>
          <p className="quiet">Another program removed these notes. Their last texts can be restored.</p>
        </>
      )}
      <ul className="plain-list">
        {notes.map((note) => (
          <LostNote key={`${note.path} ${note.rev}`} note={note} onGone={reload} />
        ))}
      </ul>
      {isLast && nextCursor !== undefined && (
        <button type="button" className="button" onClick={() => onMore(nextCursor)}>
          Show older ones
        </button>
      )}
    </>
  )
}

type NoteProps = { note: z.infer<typeof DeletedNote>; onGone: () => void }

function LostNote({ note: { path, rev, deletedAt, deletedBy }, onGone }: NoteProps) {
  const { client } = useServices()
  const { vault, here, can, open, refreshTree, announce } = useVault()
  const isOwn = deletedBy.id === here.person.id
  const mayRestore = isOwn || deletedBy.person?.id === here.person.id || can('restore_of_others')
  const restore = async () => {
    try {
      await client.restoreRevision({ vaultId: vault.id, path }, rev, undefined)
      refreshTree()
      announce(`Restored ${path}`)
      open(path)
      onGone()
    } catch (thrown) {
      announce(refusedText(thrown, path))
    }
  }
  const by = isOwn ? 'You' : deletedBy.kind === 'outside' ? 'Another program' : deletedBy.name
  return (
    <DeletedRow path={path} by={by} at={deletedAt}>
      {mayRestore && (
        <button type="button" className="button" onClick={() => void restore()}>
          Restore
        </button>
      )}
    </DeletedRow>
  )
}
