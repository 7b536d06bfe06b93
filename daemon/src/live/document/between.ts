import { ChangeSet, type Text } from '@codemirror/state'
import { textChanges } from '../../edits/text-changes.ts'
import { stringOf } from '../../edits/whole-text.ts'

/** The changes that lead from one text to another. */
export function between(before: Text, after: Text): ChangeSet {
  if (before === after) return ChangeSet.empty(before.length)
  return ChangeSet.of(textChanges(stringOf(before), stringOf(after)), before.length, '\n')
}
