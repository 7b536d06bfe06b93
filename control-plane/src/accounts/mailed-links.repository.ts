import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'

type Verification = { secretHash: string; userId: string; email: string; expiresAt: Date }

/** Links that were mailed and are unused. Database triggers delete them when the password or address changes. */
export function mailedLinksRepository(db: Db, clock: Pick<Clock, 'now'>) {
  return {
    insertVerification: async ({ secretHash, userId, email, expiresAt }: Verification): Promise<void> => {
      await db
        .insertInto('mailed_verifications')
        .values({ secret_hash: secretHash, user_id: userId, email, expires_at: expiresAt })
        .execute()
    },

    findVerification: (secretHash: string) =>
      db
        .selectFrom('mailed_verifications')
        .select(['user_id as userId', 'email'])
        .where('secret_hash', '=', secretHash)
        .where('expires_at', '>', clock.now())
        .executeTakeFirst(),

    /** Consumes a link; false when it was used before. */
    consumeVerification: async (secretHash: string): Promise<boolean> => {
      const { numDeletedRows } = await db
        .deleteFrom('mailed_verifications')
        .where('secret_hash', '=', secretHash)
        .executeTakeFirst()
      return numDeletedRows === 1n
    },

    /** Deletes every unused mailed link of a person. */
    endAll: async (userId: string): Promise<void> => {
      await sql`select end_mailed_links(id, email) from "user" where id = ${userId}`.execute(db)
    },
  }
}

export type MailedLinksRepository = ReturnType<typeof mailedLinksRepository>
