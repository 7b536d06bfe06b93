import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'
import type { UndoneOfAgent } from '../db/tables/agents.tables.ts'

/** The last reports of daemons about undone changes of agents. */
export function undoneChangesRepository(db: Db, clock: Clock) {
  return {
    find: async (orgId: string): Promise<UndoneOfAgent[] | undefined> => {
      const row = await db.selectFrom('agent_undone').select('agents').where('org_id', '=', orgId).executeTakeFirst()
      return row?.agents
    },

    upsert: async (orgId: string, agents: UndoneOfAgent[]): Promise<void> => {
      const reported = { agents: JSON.stringify(agents), reported_at: clock.now() }
      await db
        .insertInto('agent_undone')
        .values({ org_id: orgId, ...reported })
        .onConflict((row) => row.column('org_id').doUpdateSet(reported))
        .execute()
    },
  }
}

export type UndoneChangesRepository = ReturnType<typeof undoneChangesRepository>
