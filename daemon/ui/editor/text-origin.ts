import { Annotation, Transaction, type ChangeSet, type TransactionSpec } from '@codemirror/state'
import type { TextChanged } from '../live/live-view.ts'

const elsewhere = Annotation.define<TextChanged>()

/** The change of the live text that a transaction brings into the editor; undefined for changes made in the editor. */
export const isElsewhere = (transaction: Transaction): TextChanged | undefined => transaction.annotation(elsewhere)

/** A change of the live text as a transaction. Changes of others cannot be undone here; own changes can. */
export function broughtIn(change: TextChanged): TransactionSpec & { changes: ChangeSet } {
  const isOwn = change.origin === 'own'
  return {
    changes: change.changes,
    annotations: [elsewhere.of(change), Transaction.addToHistory.of(isOwn), Transaction.remote.of(!isOwn)],
  }
}
