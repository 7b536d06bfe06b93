import type { Db } from '../db/database.ts'

/** Appends the entry of a change to the audit, in its transaction. `subject` is what the change created, if anything. */
export type RecordEntry = (trx: Db, subject?: string) => Promise<void>
