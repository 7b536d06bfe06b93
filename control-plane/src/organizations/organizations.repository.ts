import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { compileOnce, type SlotOf } from '../db/compile-once.ts'
import type { Db } from '../db/database.ts'
import type { Membership } from '../http/guards.ts'
import { isLiving } from '../db/is-living.ts'

type DaemonMode = 'self_hosted' | 'cloud_hosted'
type NewOrganization = { name: string; slug: string; daemonMode: DaemonMode; creatorId: string }
type MembershipKey = { userId: string; orgId: string } | { userId: string; orgSlug: string }

/** Organizations and their members. An organization in deletion is not found. */
export function organizationsRepository(db: Db, clock: Clock) {
  const living = () => db.selectFrom('organization').where(isLiving('organization.id'))

  const readMembership = (column: 'organization.id' | 'organization.slug') =>
    compileOnce(db, (slot: SlotOf<{ userId: string; by: string }>) =>
      living()
        .innerJoin('member', 'member.organizationId', 'organization.id')
        .select(['organization.id', 'organization.slug', 'organization.name', 'organization.daemon_mode as daemonMode'])
        .select(['member.id as memberId', 'member.role'])
        .where('member.userId', '=', slot('userId'))
        .where(column, '=', slot('by')),
    )
  const readById = readMembership('organization.id')
  const readBySlug = readMembership('organization.slug')
  const readAllOf = compileOnce(db, (slot: SlotOf<{ userId: string; now: Date }>) =>
    living()
      .innerJoin('member as mine', 'mine.organizationId', 'organization.id')
      .leftJoin('auto_admit_domains', 'auto_admit_domains.organization_id', 'organization.id')
      .select(['organization.id', 'organization.slug', 'organization.name', 'organization.daemon_mode as daemonMode'])
      .select(['mine.role', 'auto_admit_domains.domain'])
      .select((row) => [
        jsonArrayFrom(
          row
            .selectFrom('member')
            .innerJoin('user', 'user.id', 'member.userId')
            .select(['member.id', 'member.userId', 'user.name', 'user.email', 'member.role'])
            .whereRef('member.organizationId', '=', 'organization.id')
            .orderBy('member.createdAt')
            .orderBy('member.id'),
        ).as('members'),
        jsonArrayFrom(
          row
            .selectFrom('invitation')
            .select(['invitation.id', 'invitation.email', 'invitation.role', 'invitation.expiresAt'])
            .whereRef('invitation.organizationId', '=', 'organization.id')
            .where('invitation.status', '=', 'pending')
            .where('invitation.expiresAt', '>', slot('now'))
            .orderBy('invitation.createdAt'),
        ).as('invitations'),
      ])
      .where('mine.userId', '=', slot('userId'))
      .orderBy('organization.name'),
  )

  return {
    /** The caller's role in an organization; undefined for outsiders and unknown organizations alike. */
    findMembership: async (key: MembershipKey): Promise<Membership | undefined> => {
      const { userId } = key
      const [row] =
        'orgId' in key ? await readById({ userId, by: key.orgId }) : await readBySlug({ userId, by: key.orgSlug })
      if (row === undefined) return undefined
      const { memberId, role, ...organization } = row
      return { organization, memberId, role }
    },

    /** The memberships of several people, in all their organizations. */
    listMemberships: (userIds: string[]) =>
      living()
        .innerJoin('member', 'member.organizationId', 'organization.id')
        .select(['member.userId', 'member.organizationId as orgId', 'member.role'])
        .where(({ eb, fn, val }) => eb('member.userId', '=', fn.any(val(userIds))))
        .execute(),

    /** The person of a membership id or an address. */
    findMember: (orgId: string, memberIdOrEmail: string) =>
      db
        .selectFrom('member')
        .innerJoin('user', 'user.id', 'member.userId')
        .select('member.userId')
        .where('member.organizationId', '=', orgId)
        .where((row) =>
          row.or([row('member.id', '=', memberIdOrEmail), row('user.email', '=', memberIdOrEmail.toLowerCase())]),
        )
        .executeTakeFirst(),

    /** An organization that is not being deleted, whoever the caller is. */
    find: (orgId: string) =>
      living()
        .select(['organization.id', 'organization.slug', 'organization.name', 'organization.daemon_mode as daemonMode'])
        .where('organization.id', '=', orgId)
        .executeTakeFirst(),

    /** The slug of an organization, also of one that is being deleted. */
    findSlug: async (orgId: string): Promise<string | undefined> => {
      const row = await db.selectFrom('organization').select('slug').where('id', '=', orgId).executeTakeFirst()
      return row?.slug
    },

    /** Every organization of a person with what their settings show; only admins see invitations. */
    listOf: (userId: string) => readAllOf({ userId, now: clock.now() }),

    /**
     * Inserts an organization with its first admin, in the caller's transaction. Returns undefined if the slug is
     * taken.
     */
    insert: async (trx: Db, { name, slug, daemonMode, creatorId }: NewOrganization) => {
      const createdAt = clock.now()
      const organization = await trx
        .insertInto('organization')
        .values({
          id: newId(idPrefixes.organization),
          name,
          slug,
          logo: null,
          metadata: null,
          daemon_mode: daemonMode,
          createdAt,
        })
        .onConflict((row) => row.column('slug').doNothing())
        .returning(['id', 'slug', 'name'])
        .executeTakeFirst()
      if (organization === undefined) return undefined

      await trx
        .insertInto('member')
        .values({ id: newId('mem_'), organizationId: organization.id, userId: creatorId, role: 'admin', createdAt })
        .execute()
      return { ...organization, daemonMode }
    },

    /** Locks the organization for the rest of the transaction and returns its exact name. */
    lock: (trx: Db, orgId: string) =>
      trx.selectFrom('organization').select(['id', 'name']).where('id', '=', orgId).forUpdate().executeTakeFirst(),

    delete: async (trx: Db, orgId: string): Promise<void> => {
      await trx.deleteFrom('organization').where('id', '=', orgId).execute()
    },
  }
}

export type OrganizationsRepository = ReturnType<typeof organizationsRepository>
