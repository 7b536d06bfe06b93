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

/** Returns false and changes nothing when the address has a confirmed account. */
export type CreateProvenAccount = (account: Account, reply: FastifyReply) => Promise<boolean>

/**
 * Creates the account of an address whose owner has just proved it, and signs in. An unconfirmed account of that
 * address is taken over without its password and sessions, because a stranger may have created it.
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
