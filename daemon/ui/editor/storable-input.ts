import { EditorState, type Extension, type TransactionSpec } from '@codemirror/state'
import { isElsewhere } from './text-origin.ts'

/** Text as a note can hold it: no NUL, no half of a surrogate pair, no carriage return inside a line. Pure. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD').replace(/\r\n?/g, '\n')

/** Makes typed or pasted text storable. */
export const storableInput: Extension = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || isElsewhere(transaction)) return transaction
  const repairs: TransactionSpec[] = []
  transaction.changes.iterChanges((_from, _to, start, end, inserted) => {
    const text = inserted.toString()
    const stored = storable(text)
    if (stored !== text) repairs.push({ changes: { from: start, to: end, insert: stored } })
  }, true)
  if (repairs.length === 0) return transaction
  // From last to first, so that earlier offsets stay valid.
  return [transaction, ...repairs.toReversed().map((repair) => ({ ...repair, sequential: true }))]
})
