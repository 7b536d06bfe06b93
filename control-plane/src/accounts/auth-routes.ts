import { z } from 'zod'
import { AppPath, EmailAddress, PersonName } from '@svc/shared/wire/accounts.api.ts'
import { Role } from '@svc/shared/wire/assertions.ts'
import { InvitationId, OrgId } from '@svc/shared/wire/ids.ts'
import { text } from '@svc/shared/wire/text.ts'

/** How often a route may be called in a minute: by one client, and about one address where the body names one. */
export type AuthLimit = 'mail' | 'password' | 'change' | 'read'

/**
 * One reachable route of the sign-in handler. `as` turns a POST of ours into the GET that it has: a mailed link must not
 * do its work when a mail scanner opens it. `check` is what must hold before the handler sees the request.
 */
export type AuthRoute = {
  method: 'GET' | 'POST'
  path: string
  limit: AuthLimit
  /** Fills the `:names` of the path; values that it does not list are not found. */
  params?: z.ZodType<Record<string, string>>
  /** The parameters that are handed on; without it, none. */
  query?: z.ZodType<Record<string, string | undefined>>
  body?: z.ZodType
  as?: 'query'
  /** When the answer waits for a beat, so that its time does not tell known from unknown addresses. */
  alike?: 'always' | 'failures'
  /** Makes a session from a proof, which must still be good when the session is there. */
  signsIn?: true
  /** One of the person's mailed links was used: the others end. */
  usesMailedLink?: true
  /** The person may do more afterwards, so the session gets a new secret. */
  gainsRights?: true
  /** What the audit calls the change, where it is one of the organization of the system admins. */
  event?: string
  check?: 'orgAdmin' | 'member' | 'signedIn' | 'invitation' | 'ownVerification'
}

const email = EmailAddress
const appPath = AppPath
const password = text().max(1_000)
const name = PersonName
const token = text().min(1).max(4_096)
const memberId = text().min(1).max(100)
const empty = z.object({})
/** What a provider sends back with the browser. */
const answered = text().max(4_096).optional()

/** Every route of the sign-in handler that can be reached; anything else of it is not there. */
export const authRoutes: readonly AuthRoute[] = [
  {
    method: 'POST',
    path: '/sign-in/email',
    signsIn: true,
    alike: 'failures',
    limit: 'password',
    body: z.object({ email, password, callbackURL: appPath.optional(), rememberMe: z.boolean().optional() }),
  },
  {
    method: 'POST',
    path: '/sign-in/magic-link',
    alike: 'always',
    limit: 'mail',
    body: z.object({ email, name: name.optional(), callbackURL: appPath.optional() }),
  },
  {
    method: 'POST',
    path: '/magic-link/verify',
    limit: 'password',
    body: z.object({ token }),
    as: 'query',
    signsIn: true,
    usesMailedLink: true,
  },
  {
    method: 'POST',
    path: '/sign-in/social',
    limit: 'change',
    body: z.object({
      provider: text().max(50),
      callbackURL: appPath.optional(),
      errorCallbackURL: appPath.optional(),
      newUserCallbackURL: appPath.optional(),
    }),
  },
  {
    method: 'GET',
    path: '/callback/:provider',
    signsIn: true,
    limit: 'change',
    params: z.object({ provider: z.enum(['google', 'oidc']) }),
    query: z.object({ code: answered, state: answered, error: answered, error_description: answered, iss: answered }),
  },
  { method: 'POST', path: '/sign-out', limit: 'change', body: empty },
  { method: 'GET', path: '/get-session', limit: 'read' },
  { method: 'GET', path: '/list-sessions', limit: 'read', check: 'signedIn' },
  { method: 'POST', path: '/revoke-session', limit: 'change', body: z.object({ token }), check: 'signedIn' },
  { method: 'POST', path: '/revoke-sessions', limit: 'change', body: empty, check: 'signedIn' },
  { method: 'POST', path: '/revoke-other-sessions', limit: 'change', body: empty, check: 'signedIn' },
  {
    method: 'POST',
    path: '/change-password',
    limit: 'password',
    // Every other session ends, whatever a body says: without this the handler would leave the caller without a session.
    body: z
      .object({ currentPassword: password, newPassword: password })
      .transform((body) => ({ ...body, revokeOtherSessions: true })),
    check: 'signedIn',
  },
  {
    method: 'POST',
    path: '/request-password-reset',
    alike: 'always',
    limit: 'mail',
    body: z.object({ email, redirectTo: appPath.optional() }),
  },
  { method: 'POST', path: '/reset-password', limit: 'password', body: z.object({ token, newPassword: password }) },
  {
    method: 'POST',
    path: '/send-verification-email',
    alike: 'always',
    limit: 'mail',
    body: z.object({ email, callbackURL: appPath.optional() }),
  },
  {
    method: 'POST',
    path: '/verify-email',
    limit: 'password',
    body: z.object({ token }),
    as: 'query',
    check: 'ownVerification',
  },
  {
    method: 'POST',
    path: '/organization/update',
    event: 'renamed',
    limit: 'change',
    body: z.strictObject({ organizationId: OrgId, data: z.strictObject({ name }) }),
    check: 'orgAdmin',
  },
  {
    method: 'POST',
    path: '/organization/invite-member',
    event: 'invitation_sent',
    limit: 'mail',
    body: z.strictObject({ organizationId: OrgId, email, role: Role, resend: z.boolean().optional() }),
    check: 'orgAdmin',
  },
  {
    method: 'POST',
    path: '/organization/cancel-invitation',
    event: 'invitation_canceled',
    limit: 'change',
    body: z.strictObject({ invitationId: InvitationId }),
    check: 'orgAdmin',
  },
  {
    method: 'POST',
    path: '/organization/accept-invitation',
    event: 'invitation_accepted',
    limit: 'change',
    gainsRights: true,
    body: z.strictObject({ invitationId: InvitationId, token: token.default('') }),
    check: 'invitation',
  },
  {
    method: 'POST',
    path: '/organization/reject-invitation',
    event: 'invitation_rejected',
    limit: 'change',
    body: z.strictObject({ invitationId: InvitationId, token: token.default('') }),
    check: 'invitation',
  },
  {
    method: 'POST',
    path: '/organization/remove-member',
    event: 'member_removed',
    limit: 'change',
    body: z.strictObject({ organizationId: OrgId, memberIdOrEmail: z.union([memberId, email]) }),
    check: 'orgAdmin',
  },
  {
    method: 'POST',
    path: '/organization/leave',
    event: 'member_left',
    limit: 'change',
    body: z.strictObject({ organizationId: OrgId }),
    check: 'member',
  },
  {
    method: 'POST',
    path: '/organization/update-member-role',
    event: 'role_changed',
    limit: 'change',
    body: z.strictObject({ organizationId: OrgId, memberId, role: Role }),
    check: 'orgAdmin',
  },
]
