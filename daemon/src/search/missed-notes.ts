import { slices } from '../watch/slices.ts'
import type { ChangedNotes } from './recent/changed-notes.ts'

type Compared = { missing: Iterable<string>; different: Iterable<string>; changed: Pick<ChangedNotes, 'has'> }

/**
 * The notes whose present state neither tier has. Collected in slices: after a mass change they may be all notes of a
 * vault.
 */
export async function missedNotes({ missing, different, changed }: Compared): Promise<Set<string>> {
  const missed = new Set<string>()
  const pause = slices()
  for (const path of missing) {
    missed.add(path)
    await pause()
  }
  // A note in a folder that could not be read is missing in the segment although it has not changed.
  for (const path of different) {
    if (!changed.has(path)) missed.add(path)
    await pause()
  }
  return missed
}
