import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { ChangeTopic } from '@svc/shared/wire/events.api.ts'
import type { Db } from '../db/database.ts'

/** A change with whom it is about. */
export type NotedChange = { topic: ChangeTopic; orgId: string | null; userId: string | null }

/** Later ones were read by every replica long ago. */
const KEPT_MS = 5 * 60_000

/** The changes that triggers note. A snapshot of the database says which of them were read. */
export function changesRepository(db: Db, clock: Pick<Clock, 'now'>) {
  return {
    readSnapshot: async (): Promise<string> => {
      const { rows } = await sql<{ now: string }>`select pg_current_snapshot()::text as now`.execute(db)
      return rows[0]?.now ?? ''
    },

    /** What was committed since a snapshot, each once, with the snapshot to go on from. One statement sees one state. */
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
