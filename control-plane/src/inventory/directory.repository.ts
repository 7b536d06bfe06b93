import { sql, type Expression, type SqlBool } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type {
  DirectoryOrganization,
  DirectoryPerson,
  OrganizationsQuery,
  PeopleQuery,
} from '@svc/shared/wire/admin/directory.api.ts'
import type { Db } from '../db/database.ts'

/** A position in a list: the value by which it is ordered, then the id. */
export type DirectoryPosition = [name: string, id: string]

const holds = (column: string, part: string): Expression<SqlBool> =>
  sql<SqlBool>`strpos(lower(${sql.ref(column)}), ${part.toLowerCase()}) > 0`
const isAfter = (column: string, id: string, [name, at]: DirectoryPosition): Expression<SqlBool> =>
  sql<SqlBool>`(${sql.ref(column)} collate "C", ${sql.ref(id)}) > (${name}, ${at})`
const iso = (date: Date | null) => date?.toISOString() ?? null

/** All organizations and all people, for system admins. */
export function directoryRepository(db: Db) {
  return {
    /** Organizations of both modes, by slug, after a position. Returns one more than `limit` when there are more. */
    listOrganizations: async ({ q, mode, limit }: OrganizationsQuery, after: DirectoryPosition | undefined) => {
      let matching = db.selectFrom('organization')
      if (mode !== undefined) matching = matching.where('daemon_mode', '=', mode)
      if (q)
        matching = matching.where(({ or }) =>
          or([holds('organization.id', q), holds('organization.slug', q), holds('organization.name', q)]),
        )
      const { total } = await matching.select(({ fn }) => fn.countAll<string>().as('total')).executeTakeFirstOrThrow()
      let page = matching
      if (after !== undefined) page = page.where(isAfter('organization.slug', 'organization.id', after))
      const rows = await page
        .select(['organization.id', 'organization.slug', 'organization.name', 'organization.createdAt', 'daemon_mode'])
        .select(({ selectFrom, fn }) => [
          selectFrom('member')
            .select(fn.countAll<string>().as('count'))
            .whereRef('organizationId', '=', 'organization.id')
            .as('members'),
          selectFrom('member')
            .select(fn.countAll<string>().as('count'))
            .whereRef('organizationId', '=', 'organization.id')
            .where('role', '=', 'admin')
            .as('admins'),
          selectFrom('daemons')
            .select(({ fn }) => fn.max('last_seen_at').as('seen'))
            .whereRef('org_id', '=', 'organization.id')
            .as('lastSeenAt'),
        ])
        .orderBy(sql`organization.slug collate "C"`)
        .orderBy('organization.id')
        .limit(limit + 1)
        .execute()
      const organizations = rows.map((row): DirectoryOrganization => ({
        orgId: row.id,
        orgSlug: row.slug,
        orgName: row.name,
        mode: row.daemon_mode,
        members: Number(row.members),
        admins: Number(row.admins),
        createdAt: row.createdAt.toISOString(),
        lastSeenAt: iso(row.lastSeenAt),
      }))
      return { organizations, total: Number(total) }
    },

    /**
     * People with their organizations, by address, after a position. Returns one more than `limit` when there are more.
     */
    listPeople: async ({ q, limit }: PeopleQuery, after: DirectoryPosition | undefined) => {
      let matching = db.selectFrom('user')
      if (q)
        matching = matching.where(({ or }) => or([holds('user.id', q), holds('user.name', q), holds('user.email', q)]))
      const { total } = await matching.select(({ fn }) => fn.countAll<string>().as('total')).executeTakeFirstOrThrow()
      let page = matching
      if (after !== undefined) page = page.where(isAfter('user.email', 'user.id', after))
      const rows = await page
        .select(['user.id', 'user.name', 'user.email', 'user.emailVerified', 'user.twoFactorEnabled', 'user.createdAt'])
        .select(({ selectFrom }) => [
          selectFrom('session')
            .select(({ fn }) => fn.max('session.updatedAt').as('seen'))
            .whereRef('session.userId', '=', 'user.id')
            .as('lastSeenAt'),
          jsonArrayFrom(
            selectFrom('member')
              .innerJoin('organization', 'organization.id', 'member.organizationId')
              .select([
                'organization.id as orgId',
                'organization.slug as orgSlug',
                'organization.name as orgName',
                'member.role',
              ])
              .whereRef('member.userId', '=', 'user.id')
              .orderBy('organization.slug'),
          ).as('organizations'),
        ])
        .orderBy(sql`"user".email collate "C"`)
        .orderBy('user.id')
        .limit(limit + 1)
        .execute()
      const people = rows.map(({ twoFactorEnabled, createdAt, lastSeenAt, ...row }): DirectoryPerson => ({
        ...row,
        twoFactor: twoFactorEnabled === true,
        createdAt: createdAt.toISOString(),
        lastSeenAt: iso(lastSeenAt),
      }))
      return { people, total: Number(total) }
    },
  }
}

export type DirectoryRepository = ReturnType<typeof directoryRepository>
