import type { Secret } from '@svc/shared/kit/secret.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { readSessionToken } from '../http/session-cookie.ts'
import type { AccountsRepository } from './accounts.repository.ts'
import { CHALLENGED } from '../sign-in/second-factors.ts'
import type { SecondFactorsRepository } from './second-factors.repository.ts'

type Deps = {
  accounts: Pick<AccountsRepository, 'readSnapshot' | 'deleteOvertakenSession'>
  secondFactors: Pick<SecondFactorsRepository, 'endOvertakenChallenge'>
  baseUrl: string
  cookieName: string
  secret: Secret
}

/** Runs a sign-in of any kind and returns its response, unless a credential changed meanwhile. */
export type GuardSignIn = (signIn: () => Promise<Response>) => Promise<Response>

/**
 * The sign-in handler checks a proof (a password, a mailed link, the word of a provider) and makes the session in two
 * steps. A credential that changes between them would leave a session that the person meant to end. The change ends all
 * sessions that are there; one that is made after it is found here, before anybody has its cookie. The same holds for a
 * sign-in that waits for a code.
 */
export function createGuardSignIn({ accounts, secondFactors, baseUrl, ...cookie }: Deps): GuardSignIn {
  const sessionsOf = (answer: Response): string[] =>
    answer.headers.getSetCookie().flatMap((line) => {
      const token = readSessionToken(line.split(';', 1)[0], { name: cookie.cookieName, secret: cookie.secret })
      return token === undefined ? [] : [token]
    })
  const isOvertaken = async (answer: Response, began: string): Promise<boolean> => {
    const waiting = answer.headers.get(CHALLENGED)
    if (waiting !== null) return secondFactors.endOvertakenChallenge(waiting, began)
    const ended = await Promise.all(sessionsOf(answer).map((token) => accounts.deleteOvertakenSession(token, began)))
    return ended.includes(true)
  }

  return async (signIn) => {
    const began = await accounts.readSnapshot()
    const answer = await signIn()
    if (!(await isOvertaken(answer, began)))
      return answer.headers.has(CHALLENGED) ? challenge(answer, { baseUrl, ...cookie }) : answer
    if (answer.status !== 302) throw fail('unauthenticated')
    // A provider sent the browser here by a navigation, which wants a page.
    return new Response(null, { status: 302, headers: { location: `${baseUrl}/sign-in?error=unauthenticated` } })
  }
}

/** The answer that asks for a code. A session that the browser has from before stays until the new one is made. */
function challenge(answer: Response, { baseUrl, cookieName }: Pick<Deps, 'baseUrl' | 'cookieName'>): Response {
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const line of answer.headers.getSetCookie())
    if (!line.startsWith(`${cookieName}=`)) headers.append('set-cookie', line)
  if (answer.status !== 302) return Response.json({ twoFactorRedirect: true }, { headers })

  const target = new URL(answer.headers.get('location') ?? '/', baseUrl)
  const next = target.origin === new URL(baseUrl).origin ? target.pathname + target.search : '/'
  headers.set('location', `${baseUrl}/sign-in/code?next=${encodeURIComponent(next)}`)
  return new Response(null, { status: 302, headers })
}
