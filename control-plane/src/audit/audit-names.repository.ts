import type { AuditNames } from '@svc/shared/wire/audit.api.ts'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import type { Db } from '../db/database.ts'
import { shownName } from './shown-name.ts'

export type AuditNamesRepository = ReturnType<typeof auditNamesRepository>

/** Names of the things that audit rows name by id. The name of a person is kept when the account is deleted. */
export function auditNamesRepository(db: Db) {
  const ofKind = (ids: readonly string[], prefix: string) => ids.filter((id) => id.startsWith(prefix))

  return {
    find: async (ids: readonly string[]): Promise<AuditNames> => {
      const [users, organizations, invitations] = [
        ofKind(ids, idPrefixes.user),
        ofKind(ids, idPrefixes.organization),
        ofKind(ids, idPrefixes.invitation),
      ]
      const [people, departed, places, invited] = await Promise.all([
        users.length === 0 ? [] : db.selectFrom('user').select(['id', 'name', 'email']).where('id', 'in', users).execute(), // prettier-ignore
        users.length === 0
          ? []
          : db.selectFrom('departed_people').select(['id', 'name']).where('id', 'in', users).execute(),
        organizations.length === 0 ? [] : db.selectFrom('organization').select(['id', 'name', 'slug']).where('id', 'in', organizations).execute(), // prettier-ignore
        invitations.length === 0 ? [] : db.selectFrom('invitation').select(['id', 'email']).where('id', 'in', invitations).execute(), // prettier-ignore
      ])
      return Object.fromEntries([
        ...departed.map(({ id, name }) => [id, { name: shownName(name) }] as const),
        ...people.map(({ id, name, email }) => [id, { name: name || email, email }] as const),
        ...places.map(({ id, name, slug }) => [id, { name, slug }] as const),
        ...invited.map(({ id, email }) => [id, { name: email }] as const),
      ])
    },

    /** Names of those people who are members of the organization now. */
    listMembers: async (orgId: string, userIds: readonly string[]): Promise<string[]> => {
      if (userIds.length === 0) return []
      const rows = await db
        .selectFrom('member')
        .select('userId')
        .where('organizationId', '=', orgId)
        .where('userId', 'in', userIds)
        .execute()
      return rows.map(({ userId }) => userId)
    },

    findOrganizationBySlug: async (slug: string): Promise<string | undefined> =>
      (await db.selectFrom('organization').select('id').where('slug', '=', slug).executeTakeFirst())?.id,

    /** The person with this address who is a member of the organization, or joined it by an invitation to it. */
    findKnownUserByEmail: async (orgId: string, address: string): Promise<string | undefined> => {
      const email = address.toLowerCase()
      const row = await db
        .selectFrom('user')
        .select('user.id')
        .where('user.email', '=', email)
        .where(({ or, exists, selectFrom }) =>
          or([
            exists(
              selectFrom('member')
                .select('member.id')
                .whereRef('member.userId', '=', 'user.id')
                .where('member.organizationId', '=', orgId),
            ),
            exists(
              selectFrom('invitation')
                .select('invitation.id')
                .where('invitation.email', '=', email)
                .where('invitation.organizationId', '=', orgId)
                .where('invitation.status', '=', 'accepted'),
            ),
          ]),
        )
        .executeTakeFirst()
      return row?.id
    },

    findUserByEmail: async (email: string): Promise<string | undefined> =>
      (await db.selectFrom('user').select('id').where('email', '=', email.toLowerCase()).executeTakeFirst())?.id,
  }
}
