import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'

/**
 * Sessions that clients ended before they expired. This is the only shared state of sessions; it is read together with
 * the grant of a token.
 */
export function endedSessionsRepository(db: Db, clock: Clock) {
  return {
    insert: async (id: string, expiresAt: Date): Promise<void> => {
      await db
        .insertInto('agent_sessions_ended')
        .values({ id, expires_at: expiresAt })
        .onConflict((row) => row.doNothing())
        .execute()
    },

    deleteExpired: async (): Promise<void> => {
      await db.deleteFrom('agent_sessions_ended').where('expires_at', '<', clock.now()).execute()
    },
  }
}

export type EndedSessions = ReturnType<typeof endedSessionsRepository>
