import type { Clock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { Db } from '../db/database.ts'
import { isLiving } from '../db/is-living.ts'
import type { RecordEntry } from './record-entry.ts'

type Recorded = { record: RecordEntry }
type Acceptance = { invitationId: string; userId: string }
type Accepting = Acceptance &
  Recorded & {
    /** Runs in the same transaction. */
    readmit(trx: Db, member: { orgId: string; userId: string; email: string }): Promise<void>
  }
type Sent = Recorded & { invitationId: string; inviterId: string; secretHash: string }
type CopiedLink = Recorded & { orgId: string; invitationId: string; inviterId: string; linkHash: string }

/** What our own rules need to know about invitations; the sign-in handler owns the rows. */
export function invitationsRepository(db: Db, clock: Clock) {
  return {
    /** Stores the hash of the mailed secret and who sent it; sending an invitation again replaces both. */
    putSecret: ({ invitationId, inviterId, secretHash, record }: Sent): Promise<void> =>
      db.transaction().execute(async (trx) => {
        await trx
          .insertInto('invitation_secrets')
          .values({ invitation_id: invitationId, secret_hash: secretHash })
          .onConflict((row) => row.column('invitation_id').doUpdateSet({ secret_hash: secretHash }))
          .execute()
        await trx.updateTable('invitation').set({ inviterId }).where('id', '=', invitationId).execute()
        await record(trx)
      }),

    /**
     * Stores the hash of a copied link and who copied it, and revokes the earlier link. Returns undefined when the
     * organization has no such invitation.
     */
    putLink: ({
      orgId,
      invitationId,
      inviterId,
      linkHash,
      record,
    }: CopiedLink): Promise<{ expiresAt: Date } | undefined> =>
      db.transaction().execute(async (trx) => {
        const invitation = await trx
          .updateTable('invitation_secrets')
          .from('invitation')
          .set({ link_hash: linkHash })
          .whereRef('invitation.id', '=', 'invitation_secrets.invitation_id')
          .where('invitation.id', '=', invitationId)
          .where('invitation.organizationId', '=', orgId)
          .where('invitation.status', '=', 'pending')
          .where('invitation.expiresAt', '>', clock.now())
          .returning('invitation.expiresAt')
          .executeTakeFirst()
        if (invitation === undefined) return undefined
        await trx.updateTable('invitation').set({ inviterId }).where('id', '=', invitationId).execute()
        await record(trx)
        return invitation
      }),

    /** A pending invitation whose inviter is still an admin, with the hash of its secret. */
    findPending: (invitationId: string) =>
      db
        .selectFrom('invitation')
        .innerJoin('invitation_secrets', 'invitation_secrets.invitation_id', 'invitation.id')
        .innerJoin('organization', 'organization.id', 'invitation.organizationId')
        .innerJoin('member as inviter', (join) =>
          join
            .onRef('inviter.organizationId', '=', 'invitation.organizationId')
            .onRef('inviter.userId', '=', 'invitation.inviterId')
            .on('inviter.role', '=', 'admin'),
        )
        .innerJoin('user', 'user.id', 'inviter.userId')
        .select(['invitation.id', 'invitation.email', 'invitation.role', 'invitation.expiresAt'])
        .select(['invitation_secrets.secret_hash as secretHash', 'invitation_secrets.link_hash as linkHash'])
        .select(['organization.id as orgId', 'organization.name as orgName', 'organization.slug as orgSlug'])
        .select('user.name as inviterName')
        .where('invitation.id', '=', invitationId)
        .where('invitation.status', '=', 'pending')
        .where('invitation.expiresAt', '>', clock.now())
        .where(isLiving('invitation.organizationId'))
        .executeTakeFirst(),

    /** How many members the organization of an invitation has besides this person. */
    countOtherMembers: async ({ invitationId, userId }: Acceptance): Promise<number> => {
      const { count } = await db
        .selectFrom('invitation')
        .innerJoin('member', 'member.organizationId', 'invitation.organizationId')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .where('invitation.id', '=', invitationId)
        .where('member.userId', '<>', userId)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    /**
     * Consumes a pending invitation and makes the person a member. Somebody who is a member already gets the role if it
     * is the higher one. Returns undefined when the invitation is no longer pending, or the account is gone.
     */
    accept: ({ invitationId, userId, readmit, record }: Accepting) =>
      db.transaction().execute(async (trx) => {
        const now = clock.now()
        const person = await trx
          .selectFrom('user')
          .select('id')
          .where('id', '=', userId)
          .forKeyShare()
          .executeTakeFirst()
        if (person === undefined) return undefined
        const invitation = await trx
          .updateTable('invitation')
          .set({ status: 'accepted' })
          .where('id', '=', invitationId)
          .where('status', '=', 'pending')
          .where('expiresAt', '>', now)
          .where(isLiving('invitation.organizationId'))
          .returningAll()
          .executeTakeFirst()
        if (invitation === undefined) return undefined
        const role = invitation.role ?? 'member'
        const member = await trx
          .insertInto('member')
          .values({ id: newId('mem_'), organizationId: invitation.organizationId, userId, role, createdAt: now })
          .onConflict((row) =>
            row.columns(['organizationId', 'userId']).doUpdateSet(({ eb, ref }) => ({
              role: eb
                .case()
                .when('excluded.role', '=', 'admin')
                .then('admin' as const)
                .else(ref('member.role'))
                .end(),
            })),
          )
          .returningAll()
          .executeTakeFirstOrThrow()
        await readmit(trx, { orgId: member.organizationId, userId, email: invitation.email })
        await record(trx)
        return { invitation, member }
      }),

    /** The organization of an invitation, in any state. */
    findOrganizationOf: async (invitationId: string): Promise<string | undefined> => {
      const row = await db
        .selectFrom('invitation')
        .select('organizationId')
        .where('id', '=', invitationId)
        .executeTakeFirst()
      return row?.organizationId
    },
  }
}

export type InvitationsRepository = ReturnType<typeof invitationsRepository>
