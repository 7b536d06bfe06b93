import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { compileOnce, type SlotOf } from '../db/compile-once.ts'
import type { Db } from '../db/database.ts'
import { lockPerson } from './account-changes.repository.ts'

type ProvenAccount = {
  email: string
  name: string
  passwordHash: string
  session: { token: string; expiresAt: Date }
}

const profileColumns = ['id', 'name', 'email', 'emailVerified', 'image'] as const

/** People and their sessions. */
export function accountsRepository(db: Db, clock: Clock) {
  const readSession = compileOnce(db, (slot: SlotOf<{ token: string; now: Date }>) =>
    db
      .selectFrom('session')
      .innerJoin('user', 'user.id', 'session.userId')
      .select(['session.id as sessionId', 'session.createdAt as signedInAt', 'session.updatedAt as usedAt'])
      .select(['user.id', 'user.name', 'user.email', 'user.emailVerified', 'user.image'])
      .where('session.token', '=', slot('token'))
      .where('session.expiresAt', '>', slot('now')),
  )

  return {
    /** The live session of a token with its person, in one lookup. */
    findSession: async (token: string) => {
      const [row] = await readSession({ token, now: clock.now() })
      if (row === undefined) return undefined
      const { sessionId, signedInAt, usedAt, ...person } = row
      return { id: sessionId, createdAt: signedInAt, usedAt, person }
    },

    /** Notes that a session is in use. */
    updateSessionUse: async (sessionId: string): Promise<void> => {
      await db.updateTable('session').set({ updatedAt: clock.now() }).where('id', '=', sessionId).execute()
    },

    /** Which of these sessions are live. */
    listLiveSessions: async (sessionIds: string[]): Promise<string[]> => {
      const rows = await db
        .selectFrom('session')
        .select('id')
        .where(({ eb, fn, val }) => eb('id', '=', fn.any(val(sessionIds))))
        .where('expiresAt', '>', clock.now())
        .execute()
      return rows.map(({ id }) => id)
    },

    /** Replaces the token of a live session; returns when the session expires, or undefined when it has ended. */
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

    /** A snapshot of the person's credentials, to compare with later. */
    readSnapshot: async (): Promise<string> => {
      const { rows } = await sql<{ now: string }>`select pg_current_snapshot()::text as now`.execute(db)
      return rows[0]?.now ?? ''
    },

    /** Deletes a session whose person's credentials have changed since a snapshot; true when it did. */
    deleteOvertakenSession: async (token: string, began: string): Promise<boolean> => {
      const { rows } = await sql`
        delete from session s using "user" u
        where s.token = ${token} and u.id = s."userId" and u.credentials_xid is not null
          and pg_visible_in_snapshot(u.credentials_xid, pg_current_snapshot())
          and not pg_visible_in_snapshot(u.credentials_xid, ${began}::pg_snapshot)
        returning s.id`.execute(db)
      return rows.length > 0
    },

    findPerson: (userId: string) =>
      db.selectFrom('user').select(profileColumns).where('id', '=', userId).executeTakeFirst(),

    /** Changes just the given fields; undefined if the account is gone. */
    updateProfile: (userId: string, change: { name?: string; image?: string | null }) =>
      db
        .updateTable('user')
        .set({ ...change, updatedAt: clock.now() })
        .where('id', '=', userId)
        .returning(profileColumns)
        .executeTakeFirst(),

    /** True when an address has an account, confirmed or not. */
    hasAccount: async (email: string): Promise<boolean> => {
      const row = await db.selectFrom('user').select('id').where('email', '=', email).executeTakeFirst()
      return row !== undefined
    },

    /** True when an address has an account that its owner confirmed. */
    hasProvenAccount: async (email: string): Promise<boolean> => {
      const row = await db
        .selectFrom('user')
        .select('emailVerified')
        .where('email', '=', email.toLowerCase())
        .executeTakeFirst()
      return row?.emailVerified === true
    },

    /**
     * Marks an address as verified, unless the person has another one by now. For a person who is signed in and has
     * also used a mailed link: the provider account that they are signed in with is theirs.
     */
    updateVerified: async ({ id, email }: { id: string; email: string }): Promise<void> => {
      await db
        .updateTable('user')
        .set({ emailVerified: true, updatedAt: clock.now() })
        .where('id', '=', id)
        .where('email', '=', email)
        .execute()
    },

    /**
     * Marks an unconfirmed account as the one of whoever reads the mail of its address. A stranger may have created it,
     * so it loses its passwords and providers. Database triggers end its sessions and programs.
     */
    updateTakenOver: (userId: string): Promise<void> =>
      db.transaction().execute(async (trx) => {
        await lockPerson(trx, userId)
        const { numUpdatedRows } = await trx
          .updateTable('user')
          .set({ emailVerified: true, updatedAt: clock.now() })
          .where('id', '=', userId)
          .where('emailVerified', '=', false)
          .executeTakeFirst()
        if (numUpdatedRows !== 1n) return
        await sql`select note_credential_change(${userId})`.execute(trx)
        await trx.deleteFrom('account').where('userId', '=', userId).execute()
      }),

    /**
     * Creates a confirmed account with a password and a session, or takes over an unconfirmed one, which loses its
     * passwords, providers and sessions. Pending sign-ups of the address are deleted. Returns undefined when the
     * address has a confirmed account. Database triggers end older credentials.
     */
    insertProvenAccount: ({ email, name, passwordHash, session }: ProvenAccount): Promise<string | undefined> =>
      db.transaction().execute(async (trx) => {
        const now = clock.now()
        const times = { createdAt: now, updatedAt: now }
        const known = await trx
          .selectFrom('user')
          .select('id')
          .where('email', '=', email.toLowerCase())
          .where('emailVerified', '=', false)
          .executeTakeFirst()
        if (known !== undefined) await lockPerson(trx, known.id)
        const user = await trx
          .insertInto('user')
          .values({
            id: newId(idPrefixes.user),
            name,
            email: email.toLowerCase(),
            emailVerified: true,
            image: null,
            ...times,
          })
          .onConflict(
            (row) =>
            row.column('email').doUpdateSet({ name, emailVerified: true, updatedAt: now }).where('user.emailVerified', '=', false), // prettier-ignore
          )
          .returning('id')
          .executeTakeFirst()
        if (user === undefined) return undefined
        await trx.deleteFrom('pending_sign_ups').where('email', '=', email.toLowerCase()).execute()

        const userId = user.id
        await trx.deleteFrom('account').where('userId', '=', userId).execute()
        await trx
          .insertInto('account')
          .values({
            id: newId('acc_'),
            accountId: userId,
            providerId: 'credential',
            userId,
            password: passwordHash,
            ...times,
          })
          .execute()
        await trx
          .insertInto('session')
          .values({ id: newId('ses_'), userId, ...session, ipAddress: null, userAgent: null, ...times })
          .execute()
        return userId
      }),

    /** Ends all sessions of a person but this one. */
    deleteOtherSessions: async ({ id, userId }: { id: string; userId: string }): Promise<void> => {
      await db.deleteFrom('session').where('userId', '=', userId).where('id', '!=', id).execute()
    },

    /** Deletes sessions and one-time values that have expired. */
    deleteExpired: async (): Promise<void> => {
      await db.deleteFrom('session').where('expiresAt', '<', clock.now()).execute()
      await db.deleteFrom('verification').where('expiresAt', '<', clock.now()).execute()
      await db.deleteFrom('mailed_verifications').where('expires_at', '<', clock.now()).execute()
      await db.deleteFrom('pending_sign_ups').where('expires_at', '<', clock.now()).execute()
    },
  }
}

export type AccountsRepository = ReturnType<typeof accountsRepository>
