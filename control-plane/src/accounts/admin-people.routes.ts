import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { ResetTwoFactorRequest, TwoFactorReset } from '@svc/shared/wire/accounts.api.ts'
import type { Guards } from '../http/guards.ts'
import type { ResetTwoFactor } from './reset-two-factor.ts'

type Deps = { guards: Guards; resetTwoFactor: ResetTwoFactor }

/** Routes with which system admins change accounts of other people. */
export function adminPeopleRoutes({ guards, resetTwoFactor }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.post(
      '/api/admin/people/two-factor/reset',
      {
        onRequest: [guards.systemAdmin, guards.freshSignIn],
        schema: { body: ResetTwoFactorRequest, response: { 200: TwoFactorReset } },
      },
      async ({ actor, body }) => ({ ok: true as const, ...(await resetTwoFactor({ ...body, actor })) }),
    )
  }
}
