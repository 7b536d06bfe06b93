import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import {
  ClaimList,
  LifecycleEventList,
  MutationList,
  PageQuery,
  RecoverClaimRequest,
  RecoverClaimResult,
} from '@svc/shared/wire/admin/admin.api.ts'
import { OrgParams } from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Guards } from '../http/guards.ts'
import type { OperationEngine } from './operation-engine.ts'
import { decodeCursor, encodeCursor } from '../http/page-cursor.ts'

export type FindSlug = (orgId: string) => Promise<{ slug: string } | undefined>
type Deps = { guards: Guards; operations: OperationEngine; findOrganization: FindSlug }

/**
 * Routes of operations: the list of mutations, what is executing, lifecycle events, and the recovery of a stale claim.
 */
export function mutationsRoutes({ guards, operations, findOrganization }: Deps): FastifyPluginAsyncZod {
  const { systemAdmin, freshSignIn } = guards

  return async (app) => {
    app.get(
      '/api/admin/orgs/:orgId/mutations',
      {
        onRequest: systemAdmin,
        schema: { params: OrgParams, querystring: PageQuery, response: { 200: MutationList } },
      },
      async ({ params: { orgId }, query: { limit, cursor } }) => {
        const [requestedAt, operationId] = decodeCursor(cursor, ['time', 'text']) ?? []
        const after = requestedAt && operationId ? { requestedAt, operationId } : undefined
        const found = await operations.listMutations(orgId, limit + 1, after)
        const mutations = found.slice(0, limit)
        const last = mutations.at(-1)
        const more = found.length > limit && last
        return {
          ok: true as const,
          mutations,
          ...(more ? { nextCursor: encodeCursor(last.requestedAt, last.operationId) } : {}),
        }
      },
    )

    app.get(
      '/api/admin/mutation-claims',
      { onRequest: systemAdmin, schema: { response: { 200: ClaimList } } },
      async () => ({ ok: true as const, claims: await operations.listClaims() }),
    )

    app.post(
      '/api/admin/orgs/:orgId/mutation-claim/recover',
      {
        onRequest: [systemAdmin, freshSignIn],
        schema: { params: OrgParams, body: RecoverClaimRequest, response: { 200: RecoverClaimResult } },
      },
      async ({ actor, params: { orgId }, body: { action, expectedOwner, confirmation } }) => {
        const organization = await findOrganization(orgId)
        // The organization may be in deletion while its claim is stale; its id then replaces the slug.
        if (confirmation !== (organization?.slug ?? orgId)) throw fail('confirmation_mismatch')

        const { operationId } = await operations.recover({ orgId, action, expectedOwner, actor })
        return { ok: true as const, orgId, operationId, action, state: 'retryable' as const }
      },
    )

    app.get(
      '/api/admin/managed-daemons/:orgId/events',
      {
        onRequest: systemAdmin,
        schema: { params: OrgParams, querystring: PageQuery, response: { 200: LifecycleEventList } },
      },
      async ({ params: { orgId }, query: { limit, cursor } }) => {
        const [before] = decodeCursor(cursor, ['number']) ?? []
        const found = await operations.events.list(orgId, limit + 1, before === undefined ? undefined : Number(before))
        const events = found.slice(0, limit)
        const last = events.at(-1)
        return {
          ok: true as const,
          events,
          ...(found.length > limit && last ? { nextCursor: encodeCursor(last.id) } : {}),
        }
      },
    )
  }
}
