import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { ChangeConnectedApp, ConnectedAppList, GrantParams } from '@svc/shared/wire/agents.api.ts'
import { Done } from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Guards } from '../http/guards.ts'
import { hostOf } from '../integrations/integration-keys.ts'
import { undoneOfPerson } from '../integrations/count-undone.ts'
import type { FindUndone } from '../integrations/find-undone.ts'
import type { GrantsRepository } from './grants.repository.ts'

type Deps = {
  guards: Guards
  grants: GrantsRepository
  endpoint: string
  clock: Pick<Clock, 'now'>
  findUndone: FindUndone
  listOrganizations(userId: string): Promise<{ id: string }[]>
}

/** Routes that list the programs that a person connected, and pause or disconnect them. */
export function connectedAppsRoutes(deps: Deps): FastifyPluginAsyncZod {
  const { guards, grants, endpoint, clock, findUndone, listOrganizations } = deps
  return async (app) => {
    app.get(
      '/api/settings/agents',
      { onRequest: guards.signedIn, schema: { response: { 200: ConnectedAppList } } },
      async ({ session: { person } }) => {
        const [rows, organizations] = await Promise.all([grants.listOf(person.id), listOrganizations(person.id)])
        const granted = new Set(rows.flatMap(({ vaults }) => vaults.map(({ orgId }) => orgId)))
        // A grant also names organizations that are being deleted.
        const orgIds = organizations.map(({ id }) => id).filter((id) => granted.has(id))
        const undone = await Promise.all(orgIds.map((orgId) => findUndone({ orgId, userId: person.id })))
        const reports = new Map(orgIds.map((orgId, index) => [orgId, undone[index]]))
        const apps = rows.map((row) => ({
          id: row.id,
          name: row.client_name ?? 'Unnamed program',
          host: hostOf(row.integration_key),
          access: row.can_write ? ('write' as const) : ('read' as const),
          vaults: row.vaults,
          connectedAt: row.created_at.toISOString(),
          lastUsedAt: row.last_used_at?.toISOString() ?? null,
          expiresAt: row.expires_at.toISOString(),
          paused: row.paused_at !== null,
          reads: row.reads,
          writes: row.writes,
          undone: undoneOf(row, person.id, reports),
        }))
        return { ok: true as const, endpoint, apps }
      },
    )

    app.patch(
      '/api/settings/agents/:grantId',
      {
        onRequest: guards.signedIn,
        schema: { params: GrantParams, body: ChangeConnectedApp, response: { 200: Done } },
      },
      async ({ session: { person }, params: { grantId }, body: { paused } }) => {
        const pausedAt = paused ? clock.now() : null
        if (!(await grants.updatePause(person.id, grantId, pausedAt))) throw fail('not_found')
        return { ok: true as const }
      },
    )

    app.delete(
      '/api/settings/agents/:grantId',
      { onRequest: guards.signedIn, schema: { params: GrantParams, response: { 200: Done } } },
      async ({ session: { person }, params: { grantId } }) => {
        if (!(await grants.delete(person.id, grantId))) throw fail('not_found')
        return { ok: true as const }
      },
    )
  }
}

type Grant = Awaited<ReturnType<GrantsRepository['listOf']>>[number]

/** The undone changes of a grant in all its organizations that have reported; null when none has. */
function undoneOf(
  { client_id: registration, client_name: name, integration_key: key, vaults }: Grant,
  userId: string,
  reports: ReadonlyMap<string, Awaited<ReturnType<FindUndone>>>,
): number | null {
  const by = { client: name ?? 'Unnamed program', userId, key, registration }
  const known = [...new Set(vaults.map(({ orgId }) => orgId))]
    .map((orgId) => undoneOfPerson(reports.get(orgId), by))
    .filter((count) => count !== null)
  return known.length === 0 ? null : known.reduce((total, count) => total + count, 0)
}
