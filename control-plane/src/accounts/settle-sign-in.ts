import type { Secret } from '@svc/shared/kit/secret.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { readSessionToken } from '../http/session-cookie.ts'
import type { AccountsRepository } from './accounts.repository.ts'

type Deps = {
  accounts: Pick<AccountsRepository, 'readSnapshot' | 'deleteOvertakenSession'>
  baseUrl: string
  cookieName: string
  secret: Secret
}

/** Runs a sign-in of any kind and answers what it answered. */
export type SettleSignIn = (signIn: () => Promise<Response>) => Promise<Response>

/**
 * The sign-in handler checks a proof (a password, a mailed link, the word of a provider) and makes the session in two
 * steps. A credential that changes between them would leave a session that the person meant to end. The change ends all
 * sessions that are there; one that is made after it is found here, before anybody has its cookie.
 */
export function createSettleSignIn({ accounts, baseUrl, ...cookie }: Deps): SettleSignIn {
  const sessionsOf = (answer: Response): string[] =>
    answer.headers.getSetCookie().flatMap((line) => {
      const token = readSessionToken(line.split(';', 1)[0], { name: cookie.cookieName, secret: cookie.secret })
      return token === undefined ? [] : [token]
    })

  return async (signIn) => {
    const began = await accounts.readSnapshot()
    const answer = await signIn()
    const overtaken = await Promise.all(
      sessionsOf(answer).map((token) => accounts.deleteOvertakenSession(token, began)),
    )
    if (!overtaken.includes(true)) return answer
    if (answer.status !== 302) throw fail('unauthenticated')
    // A provider sent the browser here by a navigation, which wants a page.
    return new Response(null, { status: 302, headers: { location: `${baseUrl}/sign-in?error=unauthenticated` } })
  }
}
