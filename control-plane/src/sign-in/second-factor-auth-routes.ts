import { z } from 'zod'
import { text } from '@svc/shared/wire/text.ts'
import type { AuthRoute } from './auth-route.ts'

const password = text().max(1_000)
const code = text()
  .max(40)
  .transform((typed) => typed.replace(/\s/g, ''))
const recoveryCode = text().trim().min(1).max(40)
/** The password again, for those who have one: a stolen session is not enough to change how one signs in. */
const proven = z.strictObject({ password: password.optional() })
/** What a browser's credential store made; the library parses it. */
const credential = z.record(text().max(50), z.unknown())
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
    body: z.strictObject({ response: credential }),
    signsIn: 'whole',
  },
  { method: 'GET', path: '/passkey/generate-register-options', limit: 'change', check: 'fresh' },
  {
    method: 'POST',
    path: '/passkey/verify-registration',
    limit: 'password',
    body: z.strictObject({ response: credential, name: passkeyName }),
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
