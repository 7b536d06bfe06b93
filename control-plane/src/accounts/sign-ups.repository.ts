import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'

/** A sign-up whose address is not confirmed. There is no account yet. */
export type PendingSignUp = {
  linkHash: string
  /** Hash of the cookie that the browser of the sign-up was given. */
  browserHash: string
  email: string
  name: string
  passwordHash: string
  /** The page of the app to open afterwards. */
  next: string
  expiresAt: Date
}

type Resend = { email: string; browserHash: string; linkHash: string; expiresAt: Date }

const columns = [
  'link_hash as linkHash',
  'browser_hash as browserHash',
  'email',
  'name',
  'password_hash as passwordHash',
  'next',
  'expires_at as expiresAt',
] as const

/** Sign-ups whose mailed link is unused. Confirming an account of the address deletes them. */
export function signUpsRepository(db: Db, clock: Pick<Clock, 'now'>) {
  return {
    insert: async ({ linkHash, browserHash, email, name, passwordHash, next, expiresAt }: PendingSignUp) => {
      await db
        .insertInto('pending_sign_ups')
        .values({
          link_hash: linkHash,
          browser_hash: browserHash,
          email,
          name,
          password_hash: passwordHash,
          next,
          created_at: clock.now(),
          expires_at: expiresAt,
        })
        .execute()
    },

    /**
     * Copies the pending sign-up of an address to a new link and returns its page. A sign-up of the same browser takes
     * precedence, then the newest. Links mailed before remain valid.
     */
    copyNewest: async ({ email, browserHash, linkHash, expiresAt }: Resend): Promise<string | undefined> => {
      const row = await db
        .insertInto('pending_sign_ups')
        .columns(['link_hash', 'browser_hash', 'email', 'name', 'password_hash', 'next', 'created_at', 'expires_at'])
        .expression(
          db
            .selectFrom('pending_sign_ups')
            .select([sql.val(linkHash).as('link_hash'), 'browser_hash', 'email', 'name', 'password_hash', 'next'])
            .select([
              sql<Date>`${clock.now()}::timestamptz`.as('created_at'),
              sql<Date>`${expiresAt}::timestamptz`.as('expires_at'),
            ])
            .where('email', '=', email)
            .where('expires_at', '>', clock.now())
            .orderBy(sql`browser_hash = ${browserHash}`, 'desc')
            .orderBy('created_at', 'desc')
            .limit(1),
        )
        .returning('next')
        .executeTakeFirst()
      return row?.next
    },

    find: (linkHash: string): Promise<PendingSignUp | undefined> =>
      db
        .selectFrom('pending_sign_ups')
        .select(columns)
        .where('link_hash', '=', linkHash)
        .where('expires_at', '>', clock.now())
        .executeTakeFirst(),
  }
}

export type SignUpsRepository = ReturnType<typeof signUpsRepository>
