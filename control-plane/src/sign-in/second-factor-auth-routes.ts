import { z } from 'zod'
import { text } from '@svc/shared/wire/text.ts'
import type { AuthRoute } from './auth-route.ts'

const password = text().max(1_000)
const code = text()
  .max(40)
  .transform((typed) => typed.replace(/\s/g, ''))
const recoveryCode = text().trim().min(1).max(40)
/**
 * Requires the password again from people who have one: a stolen session is not enough to change how the person signs
 * in.
 */
const proven = z.strictObject({ password: password.optional() })
/** Bytes of a credential, as the browser's library encodes them. */
const bytes = text()
  .max(16_384)
  .regex(/^[A-Za-z0-9_-]*$/)
const credential = z.object({ id: bytes, rawId: bytes, type: z.literal('public-key') })
const madeCredential = credential.extend({
  response: z.object({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: z.array(text().max(30)).max(10).optional(),
  }),
})
const shownCredential = credential.extend({
  response: z.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: bytes.nullish(),
  }),
})
const passkeyId = text().min(1).max(100)
const passkeyName = text().trim().min(1).max(100)

/** Authenticator apps, their recovery codes, and passkeys. */
export const secondFactorAuthRoutes: readonly AuthRoute[] = [
  {
    method: 'POST',
    path: '/two-factor/verify-totp',
    limit: 'password',
    body: z.strictObject({ code }),
    signsIn: 'whole',
    withoutSession: true,
    usesCode: true,
  },
  {
    method: 'POST',
    path: '/two-factor/verify-backup-code',
    limit: 'password',
    body: z.strictObject({ code: recoveryCode }),
    signsIn: 'whole',
    withoutSession: true,
    notice: 'recovery-code-used',
  },
  { method: 'POST', path: '/two-factor/enable', limit: 'password', body: proven, check: 'fresh' },
  {
    method: 'POST',
    path: '/two-factor/confirm',
    handler: '/two-factor/verify-totp',
    limit: 'password',
    body: z.strictObject({ code }),
    check: 'fresh',
    usesCode: true,
    notice: 'two-factor-on',
  },
  {
    method: 'POST',
    path: '/two-factor/generate-backup-codes',
    limit: 'password',
    body: proven,
    check: 'fresh',
    notice: 'recovery-codes-made',
  },
  {
    method: 'POST',
    path: '/two-factor/disable',
    limit: 'password',
    body: proven,
    check: 'fresh',
    notice: 'two-factor-off',
  },
  { method: 'GET', path: '/passkey/generate-authenticate-options', limit: 'change' },
  {
    method: 'POST',
    path: '/passkey/verify-authentication',
    limit: 'password',
    body: z.strictObject({ response: shownCredential }),
    signsIn: 'whole',
  },
  { method: 'GET', path: '/passkey/generate-register-options', limit: 'change', check: 'fresh' },
  {
    method: 'POST',
    path: '/passkey/verify-registration',
    limit: 'password',
    body: z.strictObject({ response: madeCredential, name: passkeyName }),
    check: 'fresh',
    notice: 'passkey-added',
  },
  { method: 'GET', path: '/passkey/list-user-passkeys', limit: 'read', check: 'signedIn' },
  {
    method: 'POST',
    path: '/passkey/update-passkey',
    limit: 'change',
    body: z.strictObject({ id: passkeyId, name: passkeyName }),
    check: 'signedIn',
  },
  {
    method: 'POST',
    path: '/passkey/delete-passkey',
    limit: 'change',
    body: z.strictObject({ id: passkeyId }),
    check: 'fresh',
    notice: 'passkey-removed',
  },
]
