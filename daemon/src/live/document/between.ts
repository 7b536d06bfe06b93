import { ChangeSet, type Text } from '@codemirror/state'
import { textChanges } from '../../edits/text-changes.ts'
import { stringOf } from '../../edits/whole-text.ts'

// A long insertion is a part of the other text, because splitting it into lines again would take long.
const LONG = 10_000

/** The changes that lead from one text to another. */
export function between(before: Text, after: Text): ChangeSet {
  if (before === after) return ChangeSet.empty(before.length)
  let grown = 0
  const changes = textChanges(stringOf(before), stringOf(after)).map(({ from, to, insert }) => {
    const start = from + grown
    grown += insert.length - (to - from)
    return { from, to, insert: insert.length > LONG ? after.slice(start, start + insert.length) : insert }
  })
  return ChangeSet.of(changes, before.length, '\n')
}
