import { passkey } from '@better-auth/passkey'
import { APIError, createAuthMiddleware } from 'better-auth/api'
import { symmetricDecrypt } from 'better-auth/crypto'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { Secret } from '@svc/shared/kit/secret.ts'
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

/** How many recovery codes a person has left. The library stores them as one sealed list. */
export async function countRecoveryCodes(sealed: string, secret: Secret): Promise<number> {
  const codes: unknown = JSON.parse(await symmetricDecrypt({ key: secret.reveal(), data: sealed }))
  return Array.isArray(codes) ? codes.length : 0
}
