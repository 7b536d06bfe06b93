import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { ClaimSetupRequest, Done } from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Guards } from '../http/guards.ts'
import { limitByAddress, type RateLimit } from '../http/rate-limit.ts'
import { claimSetupLink } from './setup-link.ts'
import type { SetupRepository } from './setup.repository.ts'

type Deps = {
  guards: Guards
  rateLimit: RateLimit
  setup: SetupRepository
  operatorOrg: string | undefined
  /** The claim gains rights, so the session gets a new secret. */
  renewSession(sessionId: string, reply: FastifyReply): Promise<void>
}

const CLAIMS = { key: 'setup', max: 10, seconds: 300 }

/** The route that turns the terminal's one-time link into the first system admin. */
export function setupRoutes({ guards, rateLimit, setup, operatorOrg, renewSession }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.post(
      '/api/setup/claim',
      {
        onRequest: [guards.signedIn, guards.freshSignIn, limitByAddress(rateLimit, CLAIMS)],
        schema: { body: ClaimSetupRequest, response: { 200: Done } },
      },
      async ({ session, body: { token } }, reply) => {
        if (operatorOrg === undefined) throw fail('not_found')

        await claimSetupLink({ setup, operatorOrg, token, userId: session.person.id })
        await renewSession(session.id, reply)
        return { ok: true as const }
      },
    )
  }
}
