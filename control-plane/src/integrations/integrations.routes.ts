import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import {
  ApproveRequest,
  ChangeIntegrationRequest,
  IntegrationList,
  IntegrationParams,
  IntegrationResult,
} from '@svc/shared/wire/agents.api.ts'
import { OrgParams } from '@svc/shared/wire/control-plane.api.ts'
import type { Guards } from '../http/guards.ts'
import type { DecideIntegrations } from './decide-integrations.ts'

type Deps = { guards: Guards; decide: DecideIntegrations; endpoint: string }

/** Routes for admins to allow or block agents in their organization. */
export function integrationsRoutes({ guards, decide, endpoint }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/api/orgs/:orgId/integrations',
      { onRequest: guards.orgAdmin, schema: { params: OrgParams, response: { 200: IntegrationList } } },
      async ({ membership: { organization }, session: { person } }) => {
        const integrations = await decide.list({ orgId: organization.id, userId: person.id })
        return { ok: true as const, endpoint, integrations }
      },
    )

    app.post(
      '/api/orgs/:orgId/integrations/:integrationId/approve',
      {
        onRequest: guards.orgAdmin,
        schema: { params: IntegrationParams, body: ApproveRequest, response: { 200: IntegrationResult } },
      },
      async ({ membership: { organization }, session, params: { integrationId }, body }) => {
        const place = { orgId: organization.id, id: integrationId, userId: session.person.id }
        return { ok: true as const, integration: await decide.approve(place, body) }
      },
    )

    app.patch(
      '/api/orgs/:orgId/integrations/:integrationId',
      {
        onRequest: guards.orgAdmin,
        schema: { params: IntegrationParams, body: ChangeIntegrationRequest, response: { 200: IntegrationResult } },
      },
      async ({ membership: { organization }, session, params: { integrationId }, body: { state } }) => {
        const place = { orgId: organization.id, id: integrationId, userId: session.person.id }
        return { ok: true as const, integration: await decide.changeState(place, state) }
      },
    )
  }
}
