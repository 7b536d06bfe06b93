import { join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { readWhole } from '../files/open-file.ts'
import { perVault, type ChangeOrigin, type PerVault, type VaultFollower } from '../vaults/vault-change.ts'
import { authorOf, outsideAuthor, type HistoryAuthor } from './history-author.ts'
import { noteHistory, type NoteHistory } from './note-history.ts'

type Options = { folder: string; searchPath: string; maxNoteBytes: number; clock: Clock; log: Log }

/** Keeps the history of every vault in its own git directory below `folder`. */
export function followHistory({
  folder,
  searchPath,
  maxNoteBytes,
  clock,
  log,
}: Options): PerVault<NoteHistory & VaultFollower> {
  return perVault(({ id, root, manifest }) => {
    const history = noteHistory({ gitDir: join(folder, `${id}.git`), searchPath, clock, log })
    const read = async (path: string) => (await readWhole(root, path, maxNoteBytes).catch(() => undefined))?.bytes

    return {
      ...history,
      changed(change) {
        const author = authorFor(change.origin)
        const move = change.origin.kind === 'api' && change.origin.move ? { move: change.origin.move } : {}
        if (change.kind === 'deleted' && change.before?.kind === 'note')
          history.record({ path: change.path, bytes: undefined, deletion: change.deletion, author, ...move })
        if ((change.kind === 'created' || change.kind === 'changed') && 'bytes' in change.content)
          history.record({ path: change.path, bytes: change.content.bytes, author, ...move })
      },
      caughtUp() {
        const notes = manifest
          .files()
          .flatMap(({ path, facts }) => (facts?.kind === 'note' ? [[path, facts.blob] as const] : []))
        void history.catchUp(new Map(notes), read)
      },
    }
  })
}

const authorFor = (origin: ChangeOrigin): HistoryAuthor => (origin.kind === 'api' ? authorOf(origin.by) : outsideAuthor)
