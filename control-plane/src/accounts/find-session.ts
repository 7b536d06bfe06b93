import type { Secret } from '@svc/shared/kit/secret.ts'
import { readSessionToken } from '../http/session-cookie.ts'
import type { AccountsRepository } from './accounts.repository.ts'

type Deps = { accounts: AccountsRepository; cookieName: string; secret: Secret }

/** Finds the live session of a Cookie header. Nothing is cached, so a revoked session ends with the next request. */
export function createFindSession({ accounts, cookieName, secret }: Deps) {
  return async (cookieHeader: string | undefined) => {
    const token = readSessionToken(cookieHeader, { name: cookieName, secret })
    return token === undefined ? undefined : accounts.findSession(token)
  }
}

export type FindSession = ReturnType<typeof createFindSession>
