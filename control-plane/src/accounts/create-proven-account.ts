import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { sessionCookieLine } from '../http/session-cookie.ts'
import type { AccountsRepository } from './accounts.repository.ts'

type Deps = {
  accounts: Pick<AccountsRepository, 'insertProvenAccount'>
  onSignedIn(userId: string): Promise<void>
  cookieName: string
  secret: Secret
  sessionSeconds: number
  clock: Clock
}
type Account = { email: string; name: string; passwordHash: string }

/** Answers false, and does nothing, when the address has a confirmed account. */
export type CreateProvenAccount = (account: Account, reply: FastifyReply) => Promise<boolean>

/**
 * Makes the account of an address that its owner has just proven, and signs in. An account of that address that nobody
 * confirmed is taken over without its password and sessions: whoever made it may have been a stranger.
 */
export function createProvenAccount(deps: Deps): CreateProvenAccount {
  const { accounts, onSignedIn, clock, sessionSeconds, ...cookie } = deps
  return async (account, reply) => {
    const token = randomBytes(32).toString('base64url')
    const expiresAt = new Date(clock.now().getTime() + sessionSeconds * 1_000)
    const userId = await accounts.insertProvenAccount({ ...account, session: { token, expiresAt } })
    if (userId === undefined) return false
    reply.header('set-cookie', sessionCookieLine({ name: cookie.cookieName, secret: cookie.secret }, { token, seconds: sessionSeconds })) // prettier-ignore
    await onSignedIn(userId)
    return true
  }
}
