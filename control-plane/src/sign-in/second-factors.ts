import { passkey } from '@better-auth/passkey'
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { twoFactor } from 'better-auth/plugins/two-factor'
import { libraryPath } from './auth-route.ts'
import { authRoutes } from './auth-route-table.ts'

/** Tells the mount whose sign-in waits for a code. The mount removes headers that it does not know. */
export const CHALLENGED = 'x-svc-challenged'

const CHALLENGE_SECONDS = 600
const LOCKED_SECONDS = 900
const WRONG_CODES = 10

const shapeOf = (path: string) => path.replace(/:\w+/g, ':')
const firstFactors = authRoutes.filter(({ signsIn }) => signsIn === 'first')
const challenged = new Set(firstFactors.map((route) => shapeOf(libraryPath(route))))
const isChallenged = ({ path }: { path?: string | undefined }) => path !== undefined && challenged.has(shapeOf(path))

/**
 * Authenticator apps. The library requests the code after a password alone; here every proof of one factor leads to it:
 * a password, a mailed link and an identity provider. There are no trusted browsers.
 */
export function authenticatorApps() {
  const plugin = twoFactor({
    allowPasswordless: true,
    twoFactorCookieMaxAge: CHALLENGE_SECONDS,
    accountLockout: { maxFailedAttempts: WRONG_CODES, durationSeconds: LOCKED_SECONDS },
  })
  const after = plugin.hooks.after.map((hook) => ({ ...hook, matcher: isChallenged }))
  return { ...plugin, hooks: { after } }
}

/** Runs before the library's authenticator apps, which delete the session of a sign-in that waits for a code. */
export const challengedPerson = {
  id: 'challenged-person',
  hooks: {
    after: [
      {
        matcher: isChallenged,
        handler: createAuthMiddleware(async (context) => {
          const user: { id: string; twoFactorEnabled?: unknown } | undefined = context.context.newSession?.user
          if (user?.twoFactorEnabled === true) context.setHeader(CHALLENGED, user.id)
        }),
      },
    ],
  },
}

const opensApp = new Set(['/two-factor/verify-totp', '/two-factor/verify-backup-code'])

/** Tells whose authenticator app the library is about to open: of a session, or of a sign-in that waits for a code. */
export const openedApp = (onAppOpened: (userId: string) => Promise<void>) => ({
  id: 'opened-app',
  hooks: {
    before: [
      {
        matcher: ({ path }: { path?: string | undefined }) => path !== undefined && opensApp.has(path),
        handler: createAuthMiddleware(async (context) => {
          const userId = (await getSessionFromCtx(context))?.user.id ?? (await waitingPerson(context))
          if (userId !== undefined) await onAppOpened(userId)
        }),
      },
    ],
  },
})

type LibraryContext = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]

async function waitingPerson({ context, getSignedCookie }: LibraryContext): Promise<string | undefined> {
  const challenge = await getSignedCookie(context.createAuthCookie('two_factor').name, context.secret)
  return challenge ? (await context.internalAdapter.findVerificationValue(challenge))?.value : undefined
}

/**
 * Passkeys. The device checks its owner (finger, face, PIN), so a passkey is two factors by itself and no code is
 * requested after it.
 */
export const passkeys = (baseUrl: string, challengeCookie: string) =>
  passkey({
    rpID: new URL(baseUrl).hostname,
    rpName: 'svc',
    origin: new URL(baseUrl).origin,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    advanced: { webAuthnChallengeCookie: challengeCookie },
    registration: {
      afterVerification: ({ verification }) => requireOwner(verification.registrationInfo?.userVerified),
    },
    authentication: {
      afterVerification: ({ verification }) => requireOwner(verification.authenticationInfo.userVerified),
    },
  })

function requireOwner(verified: boolean | undefined): void {
  if (verified !== true)
    throw new APIError('FORBIDDEN', {
      code: 'OWNER_NOT_VERIFIED',
      message: 'This device did not check who you are. Turn its screen lock on.',
    })
}
