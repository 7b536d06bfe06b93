import { mostLike, pathLikeness } from '../files/path-likeness.ts'
import type { KnownNotes } from '../watch/known-notes.ts'
import type { Pause } from '../watch/slices.ts'
import type { Rename } from './commit-message.ts'
import type { PendingChanges } from './pending-changes.ts'

// The git hash of empty content.
const EMPTY = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'

// Thousands of notes may have one content, such as a template. Both lists have nearly the same order, so that the note
// of the same name is among the first.
const MOST_ALIKE = 100

type Renaming = {
  /** Notes of the history without a file, with their last content; the first list is searched first. */
  missing: readonly ReadonlyMap<string, string>[]
  notes: KnownNotes
  pending: Pick<PendingChanges, 'has'>
  pause: Pause
}

/** Finds renames: a note that is new at one path, with the content of a note that is missing at another path. */
export async function findRenames({ missing, notes, pending, pause }: Renaming): Promise<Map<string, Rename>> {
  const renames = new Map<string, Rename>()
  const byContent = new Map<string, string[]>()
  for (const list of missing)
    for (const [path, blob] of list) {
      const paths = byContent.get(blob)
      if (paths) paths.push(path)
      else byContent.set(blob, [path])
      await pause()
    }
  if (byContent.size === 0) return renames
  byContent.delete(EMPTY)
  for (const { path: to, blob, isNew } of notes.others()) {
    await pause()
    if (pending.has(to)) continue
    const alike = isNew ? (byContent.get(blob) ?? []) : []
    // Notes of equal content keep their names below a renamed folder. Where no name is the same, the order decides.
    const from = mostLike(alike.slice(0, MOST_ALIKE), (path) => 1 + pathLikeness(path, to))
    if (from === undefined) continue
    alike.splice(alike.indexOf(from), 1)
    renames.set(to, { from, to })
  }
  return renames
}
