import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import {
  CreateHostedRequest,
  CreateOrganizationRequest,
  HostedCreated,
  SelfHostedCreated,
} from '@svc/shared/wire/control-plane.api.ts'
import type { Guards } from '../http/guards.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { createHosted, createSelfHosted } from './provision-organization.ts'

type Deps = {
  guards: Guards
  rateLimit: RateLimit
  createSelfHosted: ReturnType<typeof createSelfHosted>
  createHosted: ReturnType<typeof createHosted>
}

const LIMIT = { max: 20, seconds: 3_600 }

/** Creates organizations; the mode of the daemon is chosen here and stays. */
export function provisioningRoutes({ guards, rateLimit, createSelfHosted, createHosted }: Deps): FastifyPluginAsyncZod {
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
  }
}
