import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { sessionCookieLine } from '../http/session-cookie.ts'
import type { AccountsRepository } from './accounts.repository.ts'

type Deps = {
  accounts: Pick<AccountsRepository, 'insertProvenAccount'>
  hashPassword(password: string): Promise<string>
  onSignedIn(userId: string): Promise<void>
  cookieName: string
  secret: Secret
  sessionSeconds: number
  clock: Clock
}
type Account = { email: string; name: string; password: string }

/**
 * Makes the account of an address that its owner has just proven, and signs in. An account of that address that nobody
 * confirmed is taken over without its password and sessions: whoever made it may have been a stranger.
 */
export function createProvenAccount({ accounts, hashPassword, onSignedIn, clock, sessionSeconds, ...cookie }: Deps) {
  return async ({ email, name, password }: Account, reply: FastifyReply): Promise<void> => {
    const token = randomBytes(32).toString('base64url')
    const expiresAt = new Date(clock.now().getTime() + sessionSeconds * 1_000)
    const passwordHash = await hashPassword(password)
    const userId = await accounts.insertProvenAccount({ email, name, passwordHash, session: { token, expiresAt } })
    if (userId === undefined)
      throw fail('invitation_invalid', { reason: 'account_exists' }, { message: 'This address has an account. Sign in to accept the invitation.' }) // prettier-ignore
    reply.header('set-cookie', sessionCookieLine({ name: cookie.cookieName, secret: cookie.secret }, { token, seconds: sessionSeconds })) // prettier-ignore
    await onSignedIn(userId)
  }
}
