import { EditorState, type Extension, type TransactionSpec } from '@codemirror/state'
import { isInsideCharacter } from '../../src/edits/text-changes.ts'
import { isElsewhere } from './text-origin.ts'

/** Text as a note can hold it: no NUL, no half of a surrogate pair, no carriage return inside a line. Pure. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD').replace(/\r\n?/g, '\n')

/**
 * Makes typed or pasted text storable. A change of one unit of a surrogate pair becomes a change of the whole pair: the
 * browser may report the exchange of 😀 for 😃 as that of their second units, and the daemon refuses half a character.
 */
export const storableInput: Extension = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || isElsewhere(transaction)) return transaction
  const repairs: TransactionSpec[] = []
  const { startState, changes, newDoc } = transaction
  let isTorn = false
  changes.iterChanges((_from, _to, _start, _end, inserted) => {
    isTorn ||= !inserted.toString().isWellFormed()
  }, true)
  changes.iterChanges((fromBefore, toBefore, fromAfter, toAfter) => {
    const from = isInsideCharacter(startState.doc, fromBefore) ? fromAfter - 1 : fromAfter
    const to = isInsideCharacter(startState.doc, toBefore) ? toAfter + 1 : toAfter
    const text = newDoc.sliceString(from, to)
    const stored = storable(text)
    const isWidened = to - from > toAfter - fromAfter
    if (isTorn || isWidened || stored !== text) repairs.push({ changes: { from, to, insert: stored } })
  })
  if (repairs.length === 0) return transaction
  // From last to first, so that earlier offsets stay valid.
  return [transaction, ...repairs.toReversed().map((repair) => ({ ...repair, sequential: true }))]
})
