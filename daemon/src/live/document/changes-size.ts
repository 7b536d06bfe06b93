import type { ChangeSet } from '@codemirror/state'

// Characters and lines together. To send and to load a larger change costs more than the whole text does in parts.
const MAX_SENT = 1_000_000

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

/** Whether a change inserts so much that participants load the whole text instead. Only the file changes so much. */
export function isTooLargeToSend(changes: ChangeSet): boolean {
  let size = 0
  changes.iterChanges((_fromA, _toA, _fromB, _toB, inserted) => (size += inserted.length + inserted.lines))
  return size > MAX_SENT
}
