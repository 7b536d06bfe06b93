import { sql } from 'kysely'
import pg from 'pg'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Db } from '../db/database.ts'
import { isLiving } from '../db/is-living.ts'

export type EmailChange = { userId: string; oldEmail: string; newEmail: string }
type Link = EmailChange & { secretHash: string; expiresAt: Date }
type Around = {
  before(trx: Db, email: string): Promise<void>
  after(trx: Db, orgIds: string[]): Promise<void>
}
/** `taken`: the address belongs to another account by now. `spent`: the link was used, or there is nothing to undo. */
export type Undone = 'done' | 'taken' | 'spent'

const columns = ['user_id as userId', 'old_email as oldEmail', 'new_email as newEmail'] as const
const row = ({ secretHash, userId, oldEmail, newEmail, expiresAt }: Link, kind: 'confirm' | 'undo') => ({
  secret_hash: secretHash,
  kind,
  user_id: userId,
  old_email: oldEmail,
  new_email: newEmail,
  expires_at: expiresAt,
})

const accountsOf = (db: Db, email: string) =>
  db.selectFrom('user as other').select('other.id').where('other.email', '=', email)

/**
 * Locks what a change of the whole account changes, before it changes anything; returns the person, or undefined if
 * they are gone. Every transaction locks in this order, as otherwise two could wait for each other: first the accounts,
 * since a change of a password begins with its row; then the sessions and the person, as a new access token of a
 * program does before its refresh token.
 */
export async function lockPerson(trx: Db, userId: string) {
  for (const table of ['account', 'session'] as const)
    await trx.selectFrom(table).select('id').where('userId', '=', userId).orderBy('id').forUpdate().execute()
  return trx.selectFrom('user').select(['name', 'email']).where('id', '=', userId).forUpdate().executeTakeFirst()
}

const UNIQUE_VIOLATION = '23505'

/** The answer if another account took the address after it was looked for; throws every other error. */
function insteadOfTaken<T>(error: unknown, answer: T): T {
  if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION && error.table === 'user') return answer
  throw error
}

/** Changes to the whole account: its address, and its deletion. Database triggers end the older credentials. */
export function accountChangesRepository(db: Db, clock: Pick<Clock, 'now'>) {
  const updateEmail = async (trx: Db, userId: string, to: string): Promise<boolean> => {
    const { numUpdatedRows } = await trx
      .updateTable('user')
      .set({ email: to, emailVerified: true, updatedAt: clock.now() })
      .where('id', '=', userId)
      .where('email', '<>', to)
      .where(({ not, exists }) => not(exists(accountsOf(trx, to))))
      .executeTakeFirst()
    return numUpdatedRows === 1n
  }

  /** The ids of a person's ways to sign in, besides the password, which somebody else may know. */
  const listWays = async (trx: Db, userId: string): Promise<string[]> => {
    const { rows } = await sql<{ id: string }>`
      select id from account where "userId" = ${userId} and "providerId" <> 'credential'
      union all select id from passkey where "userId" = ${userId}
      union all select app.id from "twoFactor" app join "user" u on u.id = app."userId"
        where u.id = ${userId} and u."twoFactorEnabled"`.execute(trx)
    return rows.map(({ id }) => id)
  }

  /** A database trigger turns two-factor sign-in off with the app. */
  const deleteOtherWays = async (trx: Db, userId: string, kept: string[]): Promise<void> => {
    for (const table of ['account', 'passkey', 'twoFactor'] as const)
      await trx
        .deleteFrom(table)
        .where('userId', '=', userId)
        .where(({ not, eb, fn, val }) => not(eb('id', '=', fn.any(val(kept)))))
        .execute()
  }

  const undoLinks = (trx: Db, userId: string) =>
    trx.selectFrom('email_changes').where('user_id', '=', userId).where('kind', '=', 'undo')

  const listMemberships = async (from: Db, userId: string): Promise<string[]> => {
    const memberships = await from
      .selectFrom('member')
      .select('organizationId')
      .where('userId', '=', userId)
      .orderBy('organizationId')
      .execute()
    return memberships.map(({ organizationId }) => organizationId)
  }

  return {
    /** The ids of a person's organizations, always in the same order. */
    listMemberships: (userId: string) => listMemberships(db, userId),

    /** Organizations that would have no admin without this person, besides those that are being deleted. */
    listSoleAdminships: (userId: string) =>
      db
        .selectFrom('member')
        .innerJoin('organization', 'organization.id', 'member.organizationId')
        .select(['organization.slug', 'organization.name'])
        .where('member.userId', '=', userId)
        .where('member.role', '=', 'admin')
        .where(isLiving('organization.id'))
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('member as other')
                .select('other.id')
                .whereRef('other.organizationId', '=', 'member.organizationId')
                .where('other.role', '=', 'admin')
                .where('other.userId', '<>', userId),
            ),
          ),
        )
        .orderBy('organization.name')
        .execute(),

    /**
     * Deletes the person and, by foreign keys, everything that belongs to them. Fails where an organization would lose
     * its last admin. `before` runs in the same transaction while the rows are there, `after` when they are gone: with
     * the organizations that the person was a member of, always in the same order, so that two deletions do not wait
     * for each other.
     */
    deleteAccount: (userId: string, { before, after }: Around): Promise<void> =>
      db.transaction().execute(async (trx) => {
        const person = await lockPerson(trx, userId)
        if (person === undefined) return
        await trx
          .insertInto('departed_people')
          .values({ id: userId, name: person.name, departed_at: clock.now() })
          .execute()
        const orgIds = await listMemberships(trx, userId)
        await before(trx, person.email)
        await trx.deleteFrom('user').where('id', '=', userId).execute()
        await after(trx, orgIds)
      }),

    /** Makes this the only link that can confirm a change of this person's address. */
    replaceConfirmation: (link: Link): Promise<void> =>
      db.transaction().execute(async (trx) => {
        if ((await lockPerson(trx, link.userId)) === undefined) throw fail('unauthenticated')
        await trx.deleteFrom('email_changes').where('user_id', '=', link.userId).where('kind', '=', 'confirm').execute()
        await trx.insertInto('email_changes').values(row(link, 'confirm')).execute()
      }),

    findChange: (secretHash: string, kind: 'confirm' | 'undo') =>
      db
        .selectFrom('email_changes')
        .select(columns)
        .where('secret_hash', '=', secretHash)
        .where('kind', '=', kind)
        .where('expires_at', '>', clock.now())
        .executeTakeFirst(),

    /**
     * Consumes a confirmation, changes the address and stores the link that undoes it; false when either is not
     * possible. The link expires after all earlier ones of the person: the expiry tells the order of the changes.
     */
    confirmChange: (secretHash: string, undo: Link): Promise<boolean> =>
      db
        .transaction()
        .execute(async (trx) => {
          const person = await lockPerson(trx, undo.userId)
          const used = await trx.deleteFrom('email_changes').where('secret_hash', '=', secretHash).executeTakeFirst()
          if (used.numDeletedRows !== 1n || person?.email !== undo.oldEmail) return false
          if (!(await updateEmail(trx, undo.userId, undo.newEmail))) return false
          const ways_before = await listWays(trx, undo.userId)
          const { newest } = await undoLinks(trx, undo.userId)
            .select(({ fn }) => fn.max('expires_at').as('newest'))
            .executeTakeFirstOrThrow()
          const expiresAt = new Date(Math.max(undo.expiresAt.getTime(), (newest?.getTime() ?? 0) + 1))
          await trx
            .insertInto('email_changes')
            .values({ ...row({ ...undo, expiresAt }, 'undo'), ways_before })
            .execute()
          return true
        })
        .catch((error: unknown) => insteadOfTaken(error, false)),

    /**
     * Restores the old address, whatever the account was changed to since, and ends the password and the ways to sign in
     * that were added since: somebody else may have them. The link ends with those of all later
     * changes, which could take the address away again. Links of earlier changes remain.
     */
    undoChange: (secretHash: string, { userId, oldEmail }: EmailChange): Promise<Undone> =>
      db
        .transaction()
        .execute(async (trx) => {
          const person = await lockPerson(trx, userId)
          const link = await undoLinks(trx, userId)
            .select(['expires_at', 'ways_before'])
            .where('secret_hash', '=', secretHash)
            .executeTakeFirst()
          if (link === undefined || person?.email === oldEmail) return 'spent'
          if (!(await updateEmail(trx, userId, oldEmail))) return 'taken'
          if (link.ways_before !== null) await deleteOtherWays(trx, userId, link.ways_before)
          await trx
            .deleteFrom('email_changes')
            .where('user_id', '=', userId)
            .where('kind', '=', 'undo')
            .where('expires_at', '>=', link.expires_at)
            .execute()
          return 'done' as const
        })
        .catch((error: unknown) => insteadOfTaken(error, 'taken' as const)),

    deleteExpired: async (): Promise<void> => {
      await db.deleteFrom('email_changes').where('expires_at', '<', clock.now()).execute()
    },
  }
}

export type AccountChangesRepository = ReturnType<typeof accountChangesRepository>
