import { betterAuth, type BetterAuthOptions } from 'better-auth'
import { createAccessControl } from 'better-auth/plugins/access'
import { genericOAuth, magicLink, organization } from 'better-auth/plugins'
import { adminAc, defaultStatements, memberAc } from 'better-auth/plugins/organization/access'
import type { Log } from '@svc/shared/kit/log.ts'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import { siblingCookie } from '../http/session-cookie.ts'
import type { Passwords } from './passwords.ts'
import { authenticatorApps, challengedPerson, openedApp, passkeys } from './second-factors.ts'
import { provenReset, type ResetLink } from './proven-reset.ts'
import { isProvenByGoogle, isProvenByProvider } from './provider-trust.ts'

/** What the sign-in handler reports to the rest of the control plane. */
export type AuthEvents = {
  onSignedIn(userId: string): Promise<void>
  /** `next` is the page of the app to open afterwards. */
  sendVerification(person: { id: string; email: string }, next: string): Promise<void>
  sendMagicLink(email: string, token: string): Promise<void>
  sendPasswordReset(email: string, token: string): Promise<void>
  /** Called before the password is set. */
  onReset(link: ResetLink): Promise<void>
  /** Called before the stored authenticator app of a person is opened, while the secret changes. */
  onAppOpened: ((userId: string) => Promise<void>) | undefined
}

type Deps = {
  config: AuthConfig
  db: Db
  log: Log
  events: AuthEvents
  cookieName: string
  passwords: Pick<Passwords, 'hash' | 'verify'>
}
export type AuthConfig = Pick<Config, 'baseUrl' | 'authSecret' | 'google' | 'oidc'>

/** Lifetime of a session in seconds. It is not extended, so the end is known from the start. */
export const SESSION_SECONDS = 14 * 86_400
const INVITATION_SECONDS = 7 * 86_400
const MAIL_LINK_SECONDS = 3_600
export const MAGIC_LINK_SECONDS = 600
/**
 * Maximum number of rows that the library reads at once, by default 100. It counts the admins among all members that it
 * reads, so the limit must be higher than any number of members.
 */
const ROWS_AT_MOST = 100_000
/** An organization with this many members admits nobody by invitation; invitation-secret.ts enforces it. */
const MEMBERS_AT_MOST = 1_000

/** The header in which the mount passes the real client address. */
export const CLIENT_ADDRESS = 'x-svc-client'

const PREFIX = 'svc'
/** The signed cookies of a sign-in under way. The library names those that we do not. */
export const cookiesUnderWay = (sessionCookie: string): string[] => [
  siblingCookie(sessionCookie, 'two_factor'),
  siblingCookie(sessionCookie, 'passkey'),
  `${PREFIX}.state`,
  `${PREFIX}.dont_remember`,
]

const ac = createAccessControl(defaultStatements)
const prefixes: Record<string, string> = {
  user: idPrefixes.user,
  organization: idPrefixes.organization,
  invitation: idPrefixes.invitation,
  member: 'mem_',
  session: 'ses_',
  account: 'acc_',
  verification: 'ver_',
  twoFactor: 'tfa_',
  passkey: 'pky_',
}

/** The options of the sign-in library: everything of it that we use, and nothing else. */
export function authOptions({ config, db, log, events, cookieName, passwords: { hash, verify } }: Deps) {
  return {
    appName: 'svc',
    baseURL: config.baseUrl,
    basePath: '/api/auth',
    secret: config.authSecret.reveal(),
    database: { db, type: 'postgres', transaction: true },
    telemetry: { enabled: false },
    logger: {
      // Its messages may quote people's addresses; log only the level and the first words.
      log: (level, message) => log[level]({ part: 'sign-in' }, message.split(':', 1)[0]),
    },
    rateLimit: { enabled: false }, // auth-mount.ts limits by the real address of the client
    session: { expiresIn: SESSION_SECONDS, disableSessionRefresh: true, cookieCache: { enabled: false } },
    verification: { storeIdentifier: 'hashed' },
    account: { encryptOAuthTokens: true, accountLinking: { enabled: true, trustedProviders: [] } },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true, // sign-up.ts: an account is made when its address is confirmed
      password: { hash, verify },
      revokeSessionsOnPasswordReset: true,
      resetPasswordTokenExpiresIn: MAIL_LINK_SECONDS,
      sendResetPassword: ({ user, token }) => events.sendPasswordReset(user.email, token),
    },
    emailVerification: {
      expiresIn: MAIL_LINK_SECONDS,
      sendVerificationEmail: ({ user, url }) => events.sendVerification(user, new URL(url).searchParams.get('callbackURL') ?? '/'), // prettier-ignore
      afterEmailVerification: ({ id }) => events.onSignedIn(id),
    },
    ...(config.google
      ? {
          socialProviders: {
            google: {
              clientId: config.google.clientId,
              clientSecret: config.google.clientSecret.reveal(),
              mapProfileToUser: (profile) => ({ emailVerified: isProvenByGoogle(profile) }),
            },
          },
        }
      : {}),
    databaseHooks: { session: { create: { after: async ({ userId }) => events.onSignedIn(userId) } } },
    advanced: {
      cookiePrefix: PREFIX,
      useSecureCookies: false, // ids carry their own prefix
      defaultCookieAttributes: { secure: config.baseUrl.startsWith('https:'), httpOnly: true, sameSite: 'lax' },
      cookies: {
        session_token: { name: cookieName },
        two_factor: { name: siblingCookie(cookieName, 'two_factor') },
        passkey: { name: siblingCookie(cookieName, 'passkey') },
      },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS] },
      database: {
        generateId: ({ model }) => newId(prefixes[model] ?? 'row_'),
        validateSchema: false,
        defaultFindManyLimit: ROWS_AT_MOST,
        // A row and the person it belongs to are read in one statement: the library fails when one of them is gone.
        joins: true,
      },
      disableCSRFCheck: true, // http/csrf-guard.ts checks every unsafe method, these included
    },
    onAPIError: { throw: true, errorURL: `${config.baseUrl}/sign-in` },
    plugins: [
      magicLink({
        expiresIn: MAGIC_LINK_SECONDS,
        storeToken: 'hashed',
        sendMagicLink: ({ email, token }) => events.sendMagicLink(email, token),
      }),
      organization({
        ac,
        roles: { admin: adminAc, member: memberAc },
        creatorRole: 'admin',
        allowUserToCreateOrganization: false,
        disableOrganizationDeletion: true,
        membershipLimit: MEMBERS_AT_MOST,
        invitationExpiresIn: INVITATION_SECONDS,
        cancelPendingInvitationsOnReInvite: true,
        requireEmailVerificationOnInvitation: true,
        schema: {
          organization: {
            additionalFields: {
              daemonMode: { type: 'string', required: false, input: false, fieldName: 'daemon_mode' },
            },
          },
        },
      }),
      ...(events.onAppOpened ? [openedApp(events.onAppOpened)] : []),
      provenReset(events.onReset),
      challengedPerson,
      authenticatorApps(),
      passkeys(config.baseUrl, 'passkey'),
      ...(config.oidc ? [openIdProvider(config.oidc)] : []),
    ],
  } satisfies BetterAuthOptions
}

const openIdProvider = ({ issuer, clientId, clientSecret, emailDomains }: NonNullable<Config['oidc']>) =>
  genericOAuth({
    config: [
      {
        providerId: 'oidc',
        discoveryUrl: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
        clientId,
        clientSecret: clientSecret.reveal(),
        scopes: ['openid', 'email', 'profile'],
        pkce: true,
        mapProfileToUser: (profile) => ({ emailVerified: isProvenByProvider(profile, emailDomains) }),
      },
    ],
  })

/** The sign-in library, configured. Reached from outside through auth-mount.ts alone. */
export const createAuth = (deps: Deps) => betterAuth(authOptions(deps))

export type Auth = ReturnType<typeof createAuth>
