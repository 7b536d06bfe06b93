import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import {
  CreateHostedRequest,
  CreateOrganizationRequest,
  DeleteOrganizationRequest,
  Done,
  HostedCreated,
  OrgParams,
  SelfHostedCreated,
} from '@svc/shared/wire/control-plane.api.ts'
import type { Guards } from '../http/guards.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { createDeleteOrganization } from './delete-organization.ts'
import type { createHosted, createHostedWithoutGrant, createSelfHosted } from './provision-organization.ts'

type Deps = {
  guards: Guards
  rateLimit: RateLimit
  createSelfHosted: ReturnType<typeof createSelfHosted>
  createHosted: ReturnType<typeof createHosted>
  createHostedWithoutGrant: ReturnType<typeof createHostedWithoutGrant>
  deleteOrganization: ReturnType<typeof createDeleteOrganization>
}

const LIMIT = { max: 20, seconds: 3_600 }

/** Creates and deletes organizations. The mode of the daemon is chosen at creation and cannot change. */
export function organizationLifecycleRoutes(deps: Deps): FastifyPluginAsyncZod {
  const { guards, rateLimit, createSelfHosted, createHosted, createHostedWithoutGrant, deleteOrganization } = deps

  return async (app) => {
    app.post(
      '/api/provisioning/orgs/self-hosted',
      {
        onRequest: guards.signedIn,
        schema: { body: CreateOrganizationRequest, response: { 201: SelfHostedCreated } },
      },
      async ({ session: { person }, body }, reply) => {
        await rateLimit({ key: 'create-organization', client: person.id, ...LIMIT })
        const created = await createSelfHosted({ ...body, creatorId: person.id })
        return reply
          .code(201)
          .header('cache-control', 'no-store')
          .send({ ok: true, ...created })
      },
    )

    app.post(
      '/api/provisioning/orgs/cloud-hosted/comped',
      { onRequest: guards.signedIn, schema: { body: CreateHostedRequest, response: { 201: HostedCreated } } },
      async ({ session: { person }, body }, reply) => {
        await rateLimit({ key: 'create-organization', client: person.id, ...LIMIT })
        const organization = await createHosted({ ...body, creatorId: person.id })
        return reply.code(201).send({ ok: true, organization })
      },
    )

    // For those who sell or give hosted access: the organization first, its grant as an operation of its own.
    app.post(
      '/api/provisioning/orgs/cloud-hosted',
      {
        onRequest: [guards.systemAdmin, guards.freshSignIn],
        schema: { body: CreateOrganizationRequest, response: { 201: HostedCreated } },
      },
      async ({ session: { person }, body }, reply) => {
        await rateLimit({ key: 'create-organization', client: person.id, ...LIMIT })
        const organization = await createHostedWithoutGrant({ ...body, creatorId: person.id })
        return reply.code(201).send({ ok: true, organization })
      },
    )

    app.delete(
      '/api/orgs/:orgId',
      {
        onRequest: guards.orgAdmin,
        schema: { params: OrgParams, body: DeleteOrganizationRequest, response: { 200: Done } },
      },
      async ({ membership: { organization }, session, body: { name } }) => {
        await deleteOrganization({ organization, name, requestedBy: session.person.id })
        return { ok: true as const }
      },
    )
  }
}
