import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'

/** A claimed daemon whose idleness is to be checked. `idleSeconds` null: the platform's default applies. */
export type DueDaemon = { orgId: string; idleSeconds: number | null; claimedUntil: Date }

/** How long daemons may be idle before they sleep, and when to check each next. */
export function idleTimeRepository(db: Db, clock: Clock) {
  const change = (trx: Db, orgId: string) => trx.updateTable('managed_daemons').where('organization_id', '=', orgId)
  const inMs = (ms: number) => new Date(clock.now().getTime() + ms)

  return {
    /** Sets the idle time of an organization and makes its check due now; false when it has no hosted daemon. */
    updateIdleSeconds: async (trx: Db, orgId: string, idleSeconds: number | null): Promise<boolean> => {
      const { numUpdatedRows } = await change(trx, orgId)
        .set({ idle_seconds: idleSeconds, idle_look_at: clock.now() })
        .executeTakeFirst()
      return numUpdatedRows === 1n
    },

    updateLookAt: async (orgId: string, ms: number): Promise<void> => {
      await change(db, orgId)
        .set({ idle_look_at: inMs(ms) })
        .execute()
    },

    /** Sets the next check of a claimed daemon, unless somebody else, such as a wake, has set it since. */
    updateClaimed: async ({ orgId, claimedUntil }: DueDaemon, ms: number): Promise<void> => {
      await change(db, orgId)
        .where('idle_look_at', '=', claimedUntil)
        .set({ idle_look_at: inMs(ms) })
        .execute()
    },

    /**
     * Claims some active daemons that are due, longest due first. They become due again after `retryMs`, so that a
     * killed worker loses nothing; concurrent workers claim different ones.
     */
    claimDue: async (limit: number, retryMs: number): Promise<DueDaemon[]> => {
      const claimedUntil = inMs(retryMs)
      const rows = await db
        .updateTable('managed_daemons')
        .set({ idle_look_at: claimedUntil })
        .where('organization_id', 'in', (due) =>
          due
            .selectFrom('managed_daemons')
            .select('organization_id')
            .where('state', '=', 'active')
            .where('idle_look_at', '<=', clock.now())
            .orderBy('idle_look_at')
            .limit(limit)
            .forUpdate()
            .skipLocked(),
        )
        .returning(['organization_id', 'idle_seconds'])
        .execute()
      return rows.map((row) => ({ orgId: row.organization_id, idleSeconds: row.idle_seconds, claimedUntil }))
    },
  }
}
