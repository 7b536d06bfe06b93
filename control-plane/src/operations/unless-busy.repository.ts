import { sql } from 'kysely'
import { createInTurns } from '@svc/shared/kit/in-turns.ts'
import type { Db } from '../db/database.ts'
import { ORGANIZATION_LOCK } from '../db/advisory-locks.ts'

/** Runs `act` while no operation of the organization is requested or executing. Returns false, without acting, if one is. */
export type UnlessBusy = (orgId: string, act: () => Promise<unknown>) => Promise<boolean>

// Each holds a connection, and `act` may need another one, where resources are rows.
const AT_ONCE = 3

/** Claims of the organization wait for the lock until `act` ends, so no operation starts in between. */
export function createUnlessBusy(db: Db): UnlessBusy {
  const inTurns = createInTurns(AT_ONCE)
  return (orgId, act) =>
    inTurns(() =>
      db.transaction().execute(async (trx) => {
        await sql`select pg_advisory_xact_lock(${ORGANIZATION_LOCK}, hashtext(${orgId}))`.execute(trx)
        const underWay = await trx
          .selectFrom('operations')
          .select('operation_id')
          .where('org_id', '=', orgId)
          .where('state', 'in', ['requested', 'executing'])
          .executeTakeFirst()
        if (underWay !== undefined) return false
        await act()
        return true
      }),
    )
}
