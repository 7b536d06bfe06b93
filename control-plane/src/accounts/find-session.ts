import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { readSessionToken } from '../http/session-cookie.ts'
import type { AccountsRepository } from './accounts.repository.ts'

/** The list of sessions says when each was last used, to within this time. */
const NOTED_EVERY_MS = 5 * 60_000

type Deps = { accounts: AccountsRepository; clock: Clock; cookieName: string; secret: Secret }

/** Finds the live session of a Cookie header. Nothing is cached, so a revoked session ends with the next request. */
export function createFindSession({ accounts, clock, cookieName, secret }: Deps) {
  return async (cookieHeader: string | undefined) => {
    const token = readSessionToken(cookieHeader, { name: cookieName, secret })
    const found = token === undefined ? undefined : await accounts.findSession(token)
    if (found === undefined) return undefined
    const { usedAt, ...session } = found
    if (clock.now().getTime() - usedAt.getTime() > NOTED_EVERY_MS) await accounts.updateSessionUse(session.id)
    return session
  }
}

export type FindSession = ReturnType<typeof createFindSession>
