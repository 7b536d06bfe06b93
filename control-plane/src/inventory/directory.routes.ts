import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import {
  DirectoryOrganizations,
  DirectoryPeople,
  OrganizationsQuery,
  PeopleQuery,
} from '@svc/shared/wire/admin/directory.api.ts'
import type { Guards } from '../http/guards.ts'
import { decodeCursor, encodeCursor } from '../http/page-cursor.ts'
import type { DirectoryPosition, DirectoryRepository } from './directory.repository.ts'

type Deps = { guards: Guards; directory: DirectoryRepository }

/** The organizations of both modes and the people of the platform, for system admins. */
export function directoryRoutes({ guards, directory }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/api/admin/organizations',
      {
        onRequest: guards.systemAdmin,
        schema: { querystring: OrganizationsQuery, response: { 200: DirectoryOrganizations } },
      },
      async ({ query }) => {
        const after = decodeCursor(query.cursor, ['text', 'text']) as DirectoryPosition | undefined
        const { organizations: found, total } = await directory.listOrganizations(query, after)
        const organizations = found.slice(0, query.limit)
        const last = found.length > query.limit ? organizations.at(-1) : undefined
        const next = last === undefined ? {} : { nextCursor: encodeCursor(last.orgSlug, last.orgId) }
        return { ok: true as const, organizations, total, ...next }
      },
    )

    app.get(
      '/api/admin/people',
      { onRequest: guards.systemAdmin, schema: { querystring: PeopleQuery, response: { 200: DirectoryPeople } } },
      async ({ query }) => {
        const after = decodeCursor(query.cursor, ['text', 'text']) as DirectoryPosition | undefined
        const { people: found, total } = await directory.listPeople(query, after)
        const people = found.slice(0, query.limit)
        const last = found.length > query.limit ? people.at(-1) : undefined
        const next = last === undefined ? {} : { nextCursor: encodeCursor(last.email, last.id) }
        return { ok: true as const, people, total, ...next }
      },
    )
  }
}
