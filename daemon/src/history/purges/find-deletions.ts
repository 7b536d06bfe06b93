import { deletionsIn, deletionTrailer, MOVED, movedEnding, movedIn } from '../commit-message.ts'
import { LOG_MESSAGES, loggedMessage } from '../git/logged-message.ts'
import { BRANCH } from '../import-stream.ts'
import type { Repository } from '../repository.ts'
import type { PendingPurge } from './purged-notes.ts'

/**
 * The newest commit of a deletion and the one before it, and the paths of the attachments that it removed. The content
 * of an attachment is not in the history.
 */
export type RecordedDeletion = { commit: string; parent: string | undefined; attachments: Set<string> }

// Paths in one run of git. The system limits its arguments to about 2 MB, and a path to 4096 bytes.
const PATHS_AT_ONCE = 200

/** Finds those deletions of these purges that the history has recorded, by name. */
export async function findDeletions(
  repository: Repository,
  purges: readonly PendingPurge[],
): Promise<Map<string, RecordedDeletion>> {
  const found = new Map<string, RecordedDeletion>()
  if (repository.isEmpty() || purges.length === 0) return found
  const purged = Map.groupBy(purges, ({ deletion }) => deletion)
  const paths = new Map(Array.from(purged, ([deletion, those]) => [deletion, new Set(those.map(({ path }) => path))]))
  const [first = '', ...others] = paths.keys()
  const texts = others.length === 0 ? [deletionTrailer(first), movedEnding(first)] : [deletionTrailer(''), MOVED]
  const grep = ['--fixed-strings', ...texts.map((text) => `--grep=${text}`)]
  // A deletion has one commit for each file.
  let left = purges.length
  await repository.records([...LOG_MESSAGES, ...grep, BRANCH], (record) => {
    const { commit, parent, message } = loggedMessage(record)
    const add = (deletion: string) => {
      const known = found.get(deletion) ?? { commit, parent, attachments: new Set<string>() }
      found.set(deletion, known)
      return known
    }
    for (const deletion of deletionsIn(message))
      if (paths.has(deletion)) {
        add(deletion)
        left--
      }
    for (const { from = '', deletion = '' } of movedIn(message))
      if (paths.has(deletion)) {
        const { attachments } = add(deletion)
        if (!paths.get(deletion)!.has(from)) continue
        attachments.add(from)
        left--
      }
    return left <= 0 ? 'stop' : undefined
  })
  return found
}

/**
 * The purges of files that were notes before they became attachments. The note is still in the tree then: its path is
 * left only by a deletion of the note, or a move of it.
 */
export async function onceNotes(
  repository: Repository,
  purges: readonly PendingPurge[],
  parentOf: (purge: PendingPurge) => string | undefined,
): Promise<Set<PendingPurge>> {
  const notes = new Set<PendingPurge>()
  for (const [parent, those] of Map.groupBy(purges, parentOf)) {
    if (parent === undefined) continue
    for (let at = 0; at < those.length; at += PATHS_AT_ONCE) {
      const some = those.slice(at, at + PATHS_AT_ONCE)
      const paths = some.map(({ path }) => path)
      const listed = await repository.git(['--literal-pathspecs', 'ls-tree', '-z', parent, '--', ...paths])
      // Each entry is the mode, kind and name of the content, a tab, and the path.
      const files = listed.split('\0').filter((entry) => entry.includes(' blob '))
      const there = new Set(files.map((entry) => entry.slice(entry.indexOf('\t') + 1)))
      for (const purge of some) if (there.has(purge.path)) notes.add(purge)
    }
  }
  return notes
}
