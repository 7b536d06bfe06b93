import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../control-plane/src/db/database.ts'
import { until } from './until.ts'

/** Locks of a database held by hand, to put transactions in the order that a test needs. */
export function handLocks(db: () => Db) {
  const countWaiting = async (): Promise<number> => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db())
    return rows.length
  }
  return {
    countWaiting,

    /** Waits until that many statements wait for locks of others. */
    waiting: (count: number) => until(`${count} wait`, async () => (await countWaiting()) >= count),

    /** Runs `act` while the rows or tables that `statement` locks are locked; returns what `act` has begun. */
    whileLocked: <T>(statement: RawBuilder<unknown>, act: () => Promise<T>) =>
      db()
        .transaction()
        .execute(async (trx) => {
          await statement.execute(trx)
          return act()
        }),
  }
}
