import type { ChangeSet } from '@codemirror/state'

/** The number of runs of kept, deleted and inserted text in a change set. Work with a change set grows with it. */
export const sectionsOf = (changes: ChangeSet): number => changes.desc.toJSON().length / 2

/** The number of characters that a change set inserts. */
export function insertedBy(changes: ChangeSet): number {
  const lengths = changes.desc.toJSON()
  let inserted = 0
  // Pairs of a length and the length that replaces it, which is negative where the text is kept.
  for (let at = 1; at < lengths.length; at += 2) inserted += Math.max(0, lengths[at]!)
  return inserted
}
