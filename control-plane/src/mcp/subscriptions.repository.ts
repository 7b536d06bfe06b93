import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'

type Subscription = { sessionId: string; uri: string; since: string; expiresAt: Date }

/** The files that sessions follow, stored so that any replica can serve the stream of a session. */
export function subscriptionsRepository(db: Db, clock: Clock) {
  return {
    /** False when the session already follows too many. One statement: no check-then-act. */
    insert: async (
      { sessionId, uri, since, expiresAt }: Subscription,
      { most }: { most: number },
    ): Promise<boolean> => {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('agent_subscriptions')
        .columns(['session_id', 'uri', 'since', 'made_at', 'expires_at'])
        .expression((from) =>
          from
            .selectFrom('agent_subscriptions')
            .where('session_id', '=', sessionId)
            .where('uri', '!=', uri)
            .having(({ fn }) => fn.countAll(), '<', most)
            .select(({ val }) => [
              val(sessionId).as('session_id'),
              val(uri).as('uri'),
              val(since).as('since'),
              val(clock.now()).as('made_at'),
              val(expiresAt).as('expires_at'),
            ]),
        )
        .onConflict((row) => row.columns(['session_id', 'uri']).doUpdateSet({ expires_at: expiresAt }))
        .executeTakeFirst()
      return (numInsertedOrUpdatedRows ?? 0n) > 0n
    },

    delete: async (sessionId: string, uri: string): Promise<void> => {
      await db.deleteFrom('agent_subscriptions').where('session_id', '=', sessionId).where('uri', '=', uri).execute()
    },

    deleteOf: async (sessionId: string): Promise<void> => {
      await db.deleteFrom('agent_subscriptions').where('session_id', '=', sessionId).execute()
    },

    /** The files that a session follows, the oldest first, and whether its client has ended it. */
    findOf: async (sessionId: string) => {
      const { has_ended: hasEnded, files } = await db
        .selectNoFrom((row) => [
          row.exists(row.selectFrom('agent_sessions_ended').select('id').where('id', '=', sessionId)).as('has_ended'),
          jsonArrayFrom(
            row
              .selectFrom('agent_subscriptions')
              .select(['uri', 'since'])
              .where('session_id', '=', sessionId)
              .where('expires_at', '>', clock.now())
              .orderBy('made_at'),
          ).as('files'),
        ])
        .executeTakeFirstOrThrow()
      return { hasEnded: hasEnded === true, files }
    },

    deleteExpired: async (): Promise<void> => {
      await db.deleteFrom('agent_subscriptions').where('expires_at', '<', clock.now()).execute()
    },
  }
}

export type Subscriptions = ReturnType<typeof subscriptionsRepository>
