import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'

export type EmailChange = { userId: string; oldEmail: string; newEmail: string }
type Link = EmailChange & { secretHash: string; expiresAt: Date }

const columns = ['user_id as userId', 'old_email as oldEmail', 'new_email as newEmail'] as const
const row = ({ secretHash, userId, oldEmail, newEmail, expiresAt }: Link, kind: 'confirm' | 'undo') => ({
  secret_hash: secretHash,
  kind,
  user_id: userId,
  old_email: oldEmail,
  new_email: newEmail,
  expires_at: expiresAt,
})

/** Changes to the whole account: its address, and its deletion. Database triggers end the older credentials. */
export function accountChangesRepository(db: Db, clock: Pick<Clock, 'now'>) {
  const updateEmail = async (trx: Db, userId: string, { from, to }: { from: string; to: string }): Promise<boolean> => {
    const { numUpdatedRows } = await trx
      .updateTable('user')
      .set({ email: to, emailVerified: true, updatedAt: clock.now() })
      .where('id', '=', userId)
      .where('email', '=', from)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('user as other').select('other.id').where('other.email', '=', to))),
      )
      .executeTakeFirst()
    return numUpdatedRows === 1n
  }

  return {
    /** Organizations that would have no admin without this person. */
    listSoleAdminships: (userId: string) =>
      db
        .selectFrom('member')
        .innerJoin('organization', 'organization.id', 'member.organizationId')
        .select(['organization.slug', 'organization.name'])
        .where('member.userId', '=', userId)
        .where('member.role', '=', 'admin')
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
     * its last admin.
     */
    deleteAccount: (userId: string): Promise<void> =>
      db.transaction().execute(async (trx) => {
        const person = await trx
          .selectFrom('user')
          .select('name')
          .where('id', '=', userId)
          .forUpdate()
          .executeTakeFirst()
        if (person === undefined) return
        await trx
          .insertInto('departed_people')
          .values({ id: userId, name: person.name, departed_at: clock.now() })
          .execute()
        await trx.deleteFrom('user').where('id', '=', userId).execute()
      }),

    /** Makes this the only link that can confirm a change of this person's address. */
    replaceConfirmation: (link: Link): Promise<void> =>
      db.transaction().execute(async (trx) => {
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
     * possible.
     */
    confirmChange: (secretHash: string, undo: Link): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const used = await trx.deleteFrom('email_changes').where('secret_hash', '=', secretHash).executeTakeFirst()
        if (used.numDeletedRows !== 1n) return false
        if (!(await updateEmail(trx, undo.userId, { from: undo.oldEmail, to: undo.newEmail }))) return false
        await trx.insertInto('email_changes').values(row(undo, 'undo')).execute()
        return true
      }),

    /** Restores the old address; false when the link was used before or the address belongs to somebody else by now. */
    undoChange: (secretHash: string, { userId, oldEmail, newEmail }: EmailChange): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const used = await trx.deleteFrom('email_changes').where('secret_hash', '=', secretHash).executeTakeFirst()
        return used.numDeletedRows === 1n && (await updateEmail(trx, userId, { from: newEmail, to: oldEmail }))
      }),

    deleteExpired: async (): Promise<void> => {
      await db.deleteFrom('email_changes').where('expires_at', '<', clock.now()).execute()
    },
  }
}

export type AccountChangesRepository = ReturnType<typeof accountChangesRepository>
