import { z } from 'zod'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'

// Responses of the sign-in handler, as the OpenAPI document shows them. The library defines them and may add fields.

const text = z.string()
const time = z.iso.datetime()
const nullableText = text.nullish()

const user = z.looseObject({
  id: text,
  email: text,
  name: text,
  emailVerified: z.boolean(),
  image: nullableText,
  createdAt: time,
  updatedAt: time,
})
const session = z.looseObject({
  id: text,
  token: text,
  userId: text,
  expiresAt: time,
  createdAt: time,
  updatedAt: time,
  ipAddress: nullableText,
  userAgent: nullableText,
})
const member = z.looseObject({ id: text, organizationId: text, userId: text, role: text })
const invitation = z.looseObject({
  id: text,
  organizationId: text,
  email: text,
  role: text,
  status: text,
  expiresAt: time,
})
const passkey = z.looseObject({
  id: text,
  name: nullableText,
  userId: text,
  createdAt: time.nullable(),
  backedUp: z.boolean(),
})
const waitsForCode = z.looseObject({ twoFactorRedirect: z.literal(true) })
const signedIn = z.union([z.looseObject({ token: text, user }), waitsForCode])
const status = z.looseObject({ status: z.boolean() })
const options = z.looseObject({ challenge: text })
const registration = z.looseObject({
  challenge: text,
  rp: z.looseObject({ id: text, name: text }),
  user: z.looseObject({ id: text, name: text, displayName: text }),
  pubKeyCredParams: z.array(z.looseObject({ type: z.literal('public-key'), alg: z.int() })),
})

/** The successful response of each route, by path. */
export const authAnswers: Record<string, z.ZodType> = {
  '/sign-in/email': signedIn,
  '/sign-in/magic-link': status,
  '/magic-link/verify': signedIn,
  '/sign-in/social': z.looseObject({ url: text, redirect: z.boolean() }),
  '/sign-out': z.looseObject({ success: z.boolean() }),
  '/get-session': z.union([z.looseObject({ session, user }), z.null()]),
  '/list-sessions': z.array(session),
  '/revoke-session': status,
  '/revoke-sessions': status,
  '/revoke-other-sessions': status,
  '/change-password': z.looseObject({ token: nullableText, user }),
  '/request-password-reset': status,
  '/reset-password': status,
  '/send-verification-email': status,
  '/verify-email': status,
  '/two-factor/verify-totp': z.looseObject({ token: text, user }),
  '/two-factor/verify-backup-code': z.looseObject({ token: text, user }),
  '/two-factor/enable': z.looseObject({ totpURI: text, backupCodes: z.array(text) }),
  '/two-factor/confirm': z.looseObject({ token: text, user }),
  '/two-factor/generate-backup-codes': z.looseObject({ status: z.boolean(), backupCodes: z.array(text) }),
  '/two-factor/disable': status,
  '/passkey/generate-authenticate-options': options,
  '/passkey/verify-authentication': z.looseObject({ session }),
  '/passkey/generate-register-options': registration,
  '/passkey/verify-registration': passkey,
  '/passkey/list-user-passkeys': z.array(passkey),
  '/passkey/update-passkey': z.looseObject({ passkey }),
  '/passkey/delete-passkey': z.looseObject({}),
  '/organization/update': z.looseObject({ id: text, name: text, slug: text }),
  '/organization/invite-member': invitation,
  '/organization/cancel-invitation': invitation,
  '/organization/accept-invitation': z.looseObject({ invitation, member }),
  '/organization/reject-invitation': z.looseObject({ invitation }),
  '/organization/remove-member': z.looseObject({ member }),
  '/organization/leave': member,
  '/organization/update-member-role': member,
}

/** A failure of our catalogue, or one in the library's own words, such as for a wrong password. */
export const AuthFailure = z.union([ErrorBody, z.looseObject({ code: text, message: text })])
