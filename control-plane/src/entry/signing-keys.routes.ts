import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { Done } from '@svc/shared/wire/control-plane.api.ts'
import { RotateSigningKeysRequest, SigningKeyList } from '@svc/shared/wire/admin/admin.api.ts'
import type { Guards } from '../http/guards.ts'
import type { RotateSigningKeys } from './rotate-signing-keys.ts'
import type { SigningKeys } from './signing-keys.ts'

type Deps = {
  guards: Guards
  signingKeys: Pick<SigningKeys, 'list'>
  rotate: RotateSigningKeys['rotate']
  rotateEveryDays: number
}

/** The keys that sign assertions, for system admins. */
export function signingKeysRoutes({ guards, signingKeys, rotate, rotateEveryDays }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/api/admin/signing-keys',
      { onRequest: guards.systemAdmin, schema: { response: { 200: SigningKeyList } } },
      async () => ({ ok: true as const, keys: await signingKeys.list(), rotateEveryDays }),
    )

    app.post(
      '/api/admin/signing-keys/rotate',
      {
        onRequest: [guards.systemAdmin, guards.freshSignIn],
        schema: { body: RotateSigningKeysRequest, response: { 200: Done } },
      },
      async ({ actor, body: { reason, immediate } }) => {
        await rotate({ actor, reason, how: immediate ? 'at_once' : 'with_overlap' })
        return { ok: true as const }
      },
    )
  }
}
