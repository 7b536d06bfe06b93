import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'

const profileColumns = ['id', 'name', 'email', 'emailVerified', 'image'] as const

/** People and their sessions. */
export function accountsRepository(db: Db, clock: Clock) {
  return {
    /** The live session of a token with its person, in one lookup. */
    findSession: async (token: string) => {
      const row = await db
        .selectFrom('session')
        .innerJoin('user', 'user.id', 'session.userId')
        .select(['session.id as sessionId', 'session.createdAt as signedInAt'])
        .select(['user.id', 'user.name', 'user.email', 'user.emailVerified', 'user.image'])
        .where('session.token', '=', token)
        .where('session.expiresAt', '>', clock.now())
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { sessionId, signedInAt, ...person } = row
      return { id: sessionId, createdAt: signedInAt, person }
    },

    /** Replaces the token of a live session; answers when it ends, or undefined when it has ended. */
    updateToken: async (sessionId: string, token: string): Promise<Date | undefined> => {
      const row = await db
        .updateTable('session')
        .set({ token, updatedAt: clock.now() })
        .where('id', '=', sessionId)
        .where('expiresAt', '>', clock.now())
        .returning('expiresAt')
        .executeTakeFirst()
      return row?.expiresAt
    },

    findPerson: (userId: string) =>
      db.selectFrom('user').select(profileColumns).where('id', '=', userId).executeTakeFirst(),

    /** Changes just the given fields. */
    updateProfile: (userId: string, change: { name?: string; image?: string | null }) =>
      db
        .updateTable('user')
        .set({ ...change, updatedAt: clock.now() })
        .where('id', '=', userId)
        .returning(profileColumns)
        .executeTakeFirstOrThrow(),

    /** Sessions and one-time values that nobody can use any more. */
    deleteExpired: async (): Promise<void> => {
      await db.deleteFrom('session').where('expiresAt', '<', clock.now()).execute()
      await db.deleteFrom('verification').where('expiresAt', '<', clock.now()).execute()
      await db.deleteFrom('mailed_verifications').where('expires_at', '<', clock.now()).execute()
    },
  }
}

export type AccountsRepository = ReturnType<typeof accountsRepository>
