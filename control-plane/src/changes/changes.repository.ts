import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { ChangeTopic } from '@svc/shared/wire/events.api.ts'
import type { Db } from '../db/database.ts'

/** A change, and the organization and person that it is about. */
export type NotedChange = { topic: ChangeTopic; orgId: string | null; userId: string | null }

/** Older changes have been read by every replica. */
const KEPT_MS = 5 * 60_000

/** Changes recorded by database triggers. A snapshot of the database separates those already read from new ones. */
export function changesRepository(db: Db, clock: Pick<Clock, 'now'>) {
  return {
    readSnapshot: async (): Promise<string> => {
      const { rows } = await sql<{ now: string }>`select pg_current_snapshot()::text as now`.execute(db)
      return rows[0]?.now ?? ''
    },

    /**
     * The distinct changes committed since a snapshot, and the snapshot for the next call. One statement, so that both
     * describe the same state.
     */
    listSince: async (snapshot: string): Promise<{ changes: NotedChange[]; now: string }> => {
      const { rows } = await sql<{ changes: NotedChange[]; now: string }>`
        select pg_current_snapshot()::text as now, coalesce(json_agg(c), '[]') as changes
        from (
          select distinct topic, org_id as "orgId", user_id as "userId" from state_changes
          where xid >= pg_snapshot_xmin(${snapshot}::pg_snapshot)
            and not pg_visible_in_snapshot(xid, ${snapshot}::pg_snapshot)
        ) c`.execute(db)
      return rows[0] ?? { changes: [], now: snapshot }
    },

    deleteOld: async (): Promise<void> => {
      const before = new Date(clock.now().getTime() - KEPT_MS)
      await db.deleteFrom('state_changes').where('at', '<', before).execute()
    },
  }
}

export type ChangesRepository = ReturnType<typeof changesRepository>
