import { Annotation, Transaction, type ChangeSet, type TransactionSpec } from '@codemirror/state'
import type { TextChanged } from '../live/live-view.ts'

const elsewhere = Annotation.define<TextChanged>()

/** The change of the live text that a transaction applies to the editor; undefined for a change made in the editor. */
export const isElsewhere = (transaction: Transaction): TextChanged | undefined => transaction.annotation(elsewhere)

/** The transaction for a change of the live text. Undo here covers own changes, but not changes of others. */
export function broughtIn(change: TextChanged): TransactionSpec & { changes: ChangeSet } {
  const isOwn = change.origin === 'own'
  return {
    changes: change.changes,
    annotations: [elsewhere.of(change), Transaction.addToHistory.of(isOwn), Transaction.remote.of(!isOwn)],
  }
}
