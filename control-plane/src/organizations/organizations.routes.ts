import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import {
  AnswerOfferRequest,
  AutoAdmitRequest,
  AutoAdmitResult,
  Done,
  OrgParams,
} from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Guards } from '../http/guards.ts'
import type { AdmissionsRepository } from './admissions.repository.ts'
import type { createEnableAutoAdmit } from './auto-admit.ts'

type Deps = {
  guards: Guards
  admissions: AdmissionsRepository
  enableAutoAdmit: ReturnType<typeof createEnableAutoAdmit>
  operatorOrg: string | undefined
  renewSession(sessionId: string, reply: FastifyReply): Promise<void>
}

/** Routes for admins of an organization, besides those of the sign-in handler. */
export function organizationsRoutes(deps: Deps): FastifyPluginAsyncZod {
  const { guards, admissions, enableAutoAdmit, operatorOrg, renewSession } = deps

  return async (app) => {
    app.patch(
      '/api/orgs/:orgId/auto-admit',
      {
        onRequest: guards.orgAdmin,
        schema: { params: OrgParams, body: AutoAdmitRequest, response: { 200: AutoAdmitResult } },
      },
      async ({ membership: { organization }, session, body: { enabled } }) => {
        if (organization.id === operatorOrg) throw fail('forbidden', { reason: 'operator_organization' })
        if (enabled) return { ok: true as const, autoAdmit: await enableAutoAdmit(organization.id, session.person) }

        await admissions.unbind(organization.id, session.person.id)
        return { ok: true as const, autoAdmit: { enabled: false } }
      },
    )

    app.post(
      '/api/settings/admission-offers/:orgId',
      {
        onRequest: guards.signedIn,
        schema: { params: OrgParams, body: AnswerOfferRequest, response: { 200: Done } },
      },
      async ({ params: { orgId }, session: { id, person }, body: { accept } }, reply) => {
        const answered = await admissions.answerOffer({ orgId, person, accept })
        if (!answered) throw fail('not_found')
        if (accept) await renewSession(id, reply)
        return { ok: true as const }
      },
    )
  }
}
