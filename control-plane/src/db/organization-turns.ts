import { sql } from 'kysely'
import { createInTurns } from '@svc/shared/kit/in-turns.ts'
import { MEMBERS_LOCK } from './advisory-locks.ts'
import type { Db } from './database.ts'

/** Makes a change of organizations while no other one changes any of them, on this replica or another. */
export type ChangeInTurn = <T>(orgIds: readonly string[], change: () => Promise<T>) => Promise<T>

type Options = {
  db: Db
  /** How many connections the database has. */
  connections: number
}

/**
 * Orders the changes of members and invitations. Many of them look first and change then, in several statements, so
 * that two at once could both find what only one of them may have. A change holds one connection for the lock and needs
 * others to run: most connections are left for those.
 */
export function createOrganizationTurns({ db, connections }: Options): ChangeInTurn {
  const inTurns = createInTurns(Math.max(1, Math.floor(connections / 3)))

  return (orgIds, change) => {
    if (orgIds.length === 0) return change()
    return inTurns(() =>
      db.transaction().execute(async (trx) => {
        // In the order of the locks, so that two changes of the same organizations do not wait for each other.
        await sql`select pg_advisory_xact_lock(${MEMBERS_LOCK}, hash)
          from (select distinct hashtext(id) as hash from unnest(${[...orgIds]}::text[]) as id order by hash) as ordered
        `.execute(trx)
        return change()
      }),
    )
  }
}
