import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { sessionCookieLine } from '../http/session-cookie.ts'
import type { AccountsRepository } from './accounts.repository.ts'

type Deps = { accounts: AccountsRepository; cookieName: string; secret: Secret; clock: Clock }

/**
 * Gives a session a new secret. Call it where a person gains rights, so that a cookie that leaked before does not gain
 * them.
 */
export type RenewSession = (sessionId: string, reply: FastifyReply) => Promise<void>

export function createRenewSession({ accounts, cookieName, secret, clock }: Deps): RenewSession {
  return async (sessionId, reply) => {
    const token = randomBytes(32).toString('base64url')
    const expiresAt = await accounts.updateToken(sessionId, token)
    if (expiresAt === undefined) return
    const seconds = Math.floor((expiresAt.getTime() - clock.now().getTime()) / 1_000)
    reply.header('set-cookie', sessionCookieLine({ name: cookieName, secret }, { token, seconds }))
  }
}
