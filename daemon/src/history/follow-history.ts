import { join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { FileStamp } from '../files/file-stamp.ts'
import { readWhole } from '../files/open-file.ts'
import { isMarkdownName } from '../files/vault-path.ts'
import {
  perVault,
  type ChangeOrigin,
  type MoveOfChange,
  type PerVault,
  type VaultChange,
  type VaultFollower,
} from '../vaults/vault-change.ts'
import { authorOf, outsideAuthor, type Author } from '../entry/author.ts'
import type { MovedThing } from './commit-message.ts'
import { noteHistory, type NoteHistory } from './note-history.ts'

type Options = {
  folder: string
  searchPath: string
  makeRoom(bytes: number): Promise<void>
  maxNoteBytes: number
  clock: Clock
  log: Log
}

/** Keeps the history of every vault in its own git directory below `folder`. */
export function followHistory({
  folder,
  searchPath,
  makeRoom,
  maxNoteBytes,
  clock,
  log: parent,
}: Options): PerVault<NoteHistory & VaultFollower> {
  return perVault(({ id, root, manifest }) => {
    const log = parent.child({ vault: id })
    let unreadable: readonly string[] = []
    const history = noteHistory({
      gitDir: join(folder, `${id}.git`),
      searchPath,
      makeRoom,
      source: {
        vault: { root, maxNoteBytes },
        notes: () => manifest.notes(),
        read: async (path) => (await readWhole(root, path, maxNoteBytes).catch(() => undefined))?.bytes,
        mayBeThere: (path) => manifest.hasFile(path) || unreadable.some((folder) => path.startsWith(`${folder}/`)),
      },
      clock,
      log,
    })

    return {
      ...history,
      changed(change) {
        record(history, change)
      },
      caughtUp(folders) {
        unreadable = folders
        void history.catchUp()
      },
    }
  })
}

function record(history: NoteHistory, change: VaultChange): void {
  const author = authorFor(change.origin)
  const move = change.origin.kind === 'api' ? change.origin.move : undefined
  if (change.kind === 'deleted' && (change.bytesBefore !== undefined || isOfNote(change))) {
    const { path, deletion, before, bytesBefore } = change
    const blob = before?.kind === 'note' ? before.blob : undefined
    if (bytesBefore) history.recordReplaced(path, bytesBefore)
    history.record({ kind: 'deleted', path, bytes: undefined, blob, deletion, move, author })
  }
  const moved = move ? movedThing(change, move) : attachmentChange(change)
  if (moved) history.record({ kind: 'moved', path: change.path, bytes: undefined, moved, move, author })
  if ((change.kind === 'created' || change.kind === 'changed') && 'bytes' in change.content) {
    const { kind, path, content, overwritten, restored, origin } = change
    // A comparison with the history would find only the new text.
    if (overwritten) history.recordReplaced(path, overwritten)
    const written = origin.kind === 'api' ? origin.written : undefined
    history.record({ kind, path, bytes: content.bytes, blob: content.facts.blob, restored, move, written, author })
  }
}

/** A file that was deleted on request before it was read may be a note with revisions from earlier runs. */
const isOfNote = ({ path, before, deletion }: Extract<VaultChange, { kind: 'deleted' }>): boolean =>
  before ? before.kind === 'note' : deletion !== undefined && isMarkdownName(path)

/**
 * What a revert must know about an attachment that did not move: that an agent created it or replaced its content, or
 * that it was deleted.
 */
function attachmentChange(change: VaultChange): MovedThing | undefined {
  const { kind, path, origin } = change
  if (origin.kind !== 'api') return undefined
  if (kind === 'deleted' && change.before?.kind === 'attachment' && change.stamp)
    return { kind: 'attachment', from: path, is: identityOf(change.stamp), deletion: change.deletion }
  if ((kind !== 'created' && kind !== 'changed') || 'bytes' in change.content) return undefined
  if (origin.by.kind !== 'mcp_client') return undefined
  return { kind: 'attachment', ...(kind === 'changed' && { from: path }), to: path, is: identityOf(change.stamp) }
}

const identityOf = ({ ino, size, mtimeMs }: FileStamp) => ({ ino, size, mtimeMs })

/** Moved notes are recorded with their content; of attachments and folders, the history stores only the paths. */
function movedThing(change: VaultChange, { from, to }: MoveOfChange): MovedThing | undefined {
  if (change.kind === 'folder_moved')
    return { kind: 'folder', from: change.from, to: change.path, is: identityOf(change.stamp) }
  if (change.kind !== 'created' || 'bytes' in change.content) return undefined
  const { path, stamp } = change
  return { kind: 'attachment', from: from + path.slice(to.length), to: path, is: identityOf(stamp) }
}

const authorFor = (origin: ChangeOrigin): Author => (origin.kind === 'api' ? authorOf(origin.by) : outsideAuthor)
