import { fail } from '@svc/shared/wire/errors.ts'
import type { AccountsRepository } from './accounts.repository.ts'

type Deps = { accounts: Pick<AccountsRepository, 'findPasswordHash' | 'deleteSession'> }

/**
 * Signs in by password. The sign-in handler compares the password and makes the session in two steps; a password that is
 * changed between them would leave a session that its owner meant to end. A change ends all sessions that are there, so
 * one that is made before it needs no care; one that is made after it is found here, before anybody has its cookie.
 */
export function createSignInByPassword({ accounts }: Deps) {
  return async (email: string, signIn: () => Promise<Response>): Promise<Response> => {
    const before = await accounts.findPasswordHash(email)
    const answer = await signIn()
    if (!answer.ok || (await accounts.findPasswordHash(email)) === before) return answer

    const { token } = (await answer.clone().json()) as { token?: unknown }
    if (typeof token === 'string') await accounts.deleteSession(token)
    throw fail('unauthenticated')
  }
}

export type SignInByPassword = ReturnType<typeof createSignInByPassword>
