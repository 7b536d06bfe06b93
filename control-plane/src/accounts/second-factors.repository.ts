import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { compileOnce, type SlotOf } from '../db/compile-once.ts'
import type { Db } from '../db/database.ts'
import type { TwoFactorTable } from '../db/tables/accounts.tables.ts'
import { lockPerson } from './account-changes.repository.ts'

/** What is stored sealed of an authenticator app. */
export type SealedApp = Pick<TwoFactorTable, 'id' | 'secret' | 'backupCodes'>

/**
 * How long a used code is refused. A code is valid for 90 s: its half minute, the one before and the one after. The
 * rest is a margin for replicas whose clocks differ.
 */
const REFUSED_MS = 120_000
const SEALED_AT_A_TIME = 200

/** Authenticator apps, used codes, and sign-ins that wait for a code. */
export function secondFactorsRepository(db: Db, clock: Pick<Clock, 'now'>) {
  const since = () => new Date(clock.now().getTime() - REFUSED_MS)

  const readWays = compileOnce(db, (slot: SlotOf<{ userId: string }>) =>
    db
      .selectFrom('user')
      .select('twoFactorEnabled')
      .select(({ exists, selectFrom }) =>
        exists(
          selectFrom('account')
            .select('account.id')
            .where('userId', '=', slot('userId'))
            .where('password', 'is not', null),
        ).as('password'),
      )
      .select(({ selectFrom }) =>
        selectFrom('twoFactor').select('backupCodes').where('userId', '=', slot('userId')).limit(1).as('sealedCodes'),
      )
      .where('id', '=', slot('userId')),
  )

  const sealed = () => db.selectFrom('twoFactor').select(['id', 'secret', 'backupCodes'])

  return {
    findSealed: (userId: string): Promise<SealedApp | undefined> =>
      sealed().where('userId', '=', userId).executeTakeFirst(),

    /** The next apps in the order of their ids; none after the last. */
    listSealed: (after: string): Promise<SealedApp[]> =>
      sealed().where('id', '>', after).orderBy('id').limit(SEALED_AT_A_TIME).execute(),

    /** Replaces the sealed texts, unless the person or another replica has replaced them. */
    updateSealed: async ({ id, ...old }: SealedApp, texts: Omit<SealedApp, 'id'>): Promise<void> => {
      await db
        .updateTable('twoFactor')
        .set(texts)
        .where('id', '=', id)
        .where('secret', '=', old.secret)
        .where('backupCodes', '=', old.backupCodes)
        .execute()
    },

    /** How a person can sign in. */
    findWays: async (userId: string) => {
      const [row] = await readWays({ userId })
      const twoFactor = row?.twoFactorEnabled === true
      return { twoFactor, password: Boolean(row?.password), sealedCodes: twoFactor ? row.sealedCodes : null }
    },

    /** Consumes a code; false when it was used before. */
    claimCode: async (userId: string, code: string): Promise<boolean> => {
      const row = { user_id: userId, code_hash: createHash('sha256').update(code).digest('hex'), used_at: clock.now() }
      const claimed = await db
        .insertInto('used_codes')
        .values(row)
        .onConflict((same) =>
          same
            .columns(['user_id', 'code_hash'])
            .doUpdateSet({ used_at: row.used_at })
            .where('used_codes.used_at', '<', since()),
        )
        .returning('user_id')
        .executeTakeFirst()
      return claimed !== undefined
    },

    /**
     * Ends sign-ins that wait for a code when the person's credentials have changed since a snapshot; true when they
     * have.
     */
    endOvertakenChallenge: async (userId: string, began: string): Promise<boolean> => {
      const { rows } = await sql`
        select end_mailed_links(id, email) from "user" where id = ${userId} and credentials_xid is not null
          and pg_visible_in_snapshot(credentials_xid, pg_current_snapshot())
          and not pg_visible_in_snapshot(credentials_xid, ${began}::pg_snapshot)`.execute(db)
      return rows.length > 0
    },

    /**
     * Removes the authenticator app of an account, which ends its sessions; undefined when it has none. A database
     * trigger deletes the secret.
     */
    reset: (email: string, record: (trx: Db, userId: string) => Promise<void>): Promise<string | undefined> =>
      db.transaction().execute(async (trx) => {
        const person = await trx.selectFrom('user').select('id').where('email', '=', email).executeTakeFirst()
        if (person === undefined) return undefined
        await lockPerson(trx, person.id)
        const { numUpdatedRows } = await trx
          .updateTable('user')
          .set({ twoFactorEnabled: false, updatedAt: clock.now() })
          .where('id', '=', person.id)
          .where('email', '=', email)
          .where('twoFactorEnabled', '=', true)
          .executeTakeFirst()
        if (numUpdatedRows !== 1n) return undefined
        await record(trx, person.id)
        return person.id
      }),

    deleteSession: async (token: string): Promise<void> => {
      await db.deleteFrom('session').where('token', '=', token).execute()
    },

    deleteExpiredCodes: async (): Promise<void> => {
      await db.deleteFrom('used_codes').where('used_at', '<', since()).execute()
    },
  }
}

export type SecondFactorsRepository = ReturnType<typeof secondFactorsRepository>
