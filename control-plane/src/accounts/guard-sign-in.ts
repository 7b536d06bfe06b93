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
 * The sign-in handler checks a proof (password, mailed link, identity provider) and creates the session in two steps.
 * If a credential changes between them, the person meant to end this session, too. The change ends all existing
 * sessions; a session created after it is detected here, before its cookie is sent. The same holds for a sign-in that
 * waits for a second factor.
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
    // An identity provider sent the browser here by a navigation, so respond with a page.
    return new Response(null, { status: 302, headers: { location: `${baseUrl}/sign-in?error=unauthenticated` } })
  }
}

/** The response that asks for a code. The browser keeps its earlier session until the new one is created. */
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
