import { z } from 'zod'
import { AppPath as appPath, EmailAddress as email, PersonName as name } from '@svc/shared/wire/accounts.api.ts'
import { text } from '@svc/shared/wire/text.ts'
import type { AuthRoute } from './auth-route.ts'
import { organizationAuthRoutes } from './organization-auth-routes.ts'
import { secondFactorAuthRoutes } from './second-factor-auth-routes.ts'

const password = text().max(1_000)
const token = text().min(1).max(4_096)
const empty = z.object({})
/** The parameters that an identity provider sends back with the browser. */
const answered = text().max(4_096).optional()

/** Every reachable route of the sign-in handler; its other routes do not exist. */
export const authRoutes: readonly AuthRoute[] = [
  {
    method: 'POST',
    path: '/sign-in/email',
    signsIn: 'first',
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
    signsIn: 'first',
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
    signsIn: 'first',
    limit: 'change',
    params: z.object({ provider: z.enum(['google', 'oidc']) }),
    query: z.object({ code: answered, state: answered, error: answered, error_description: answered, iss: answered }),
  },
  { method: 'POST', path: '/sign-out', limit: 'change', body: empty, endsSession: true },
  { method: 'GET', path: '/get-session', limit: 'read' },
  { method: 'GET', path: '/list-sessions', limit: 'read', check: 'signedIn' },
  { method: 'POST', path: '/revoke-session', limit: 'change', body: z.object({ token }), check: 'signedIn' },
  { method: 'POST', path: '/revoke-sessions', limit: 'change', body: empty, check: 'signedIn' },
  { method: 'POST', path: '/revoke-other-sessions', limit: 'change', body: empty, check: 'otherSessions' },
  {
    method: 'POST',
    path: '/change-password',
    limit: 'password',
    // Always ends every other session, whatever the body says: otherwise the handler would leave the caller without a
    // session.
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
    // A proven address may make the person a member by its domain.
    gainsRights: true,
  },
  ...secondFactorAuthRoutes,
  ...organizationAuthRoutes,
]
