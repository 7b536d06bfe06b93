import { addressOf, type AnswerOf, type BodyOf, type Route } from '@svc/shared/client/route-call.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { deletesCookie } from '../http/session-cookie.ts'
import type { CommandContext, OptionValues } from './command.ts'
import { ANSWER_WITHIN_MS, failureOf, unexpected, unreachable, type Credential } from './admin-client.ts'

type Deps = { baseUrl: string; values: OptionValues; readSecret: CommandContext['readSecret'] }

/**
 * A session of a system admin: with --email a fresh one by password, which changes require; otherwise the cookie of an
 * existing session, as `name=value`.
 */
export async function signIn({ baseUrl, values, readSecret }: Deps): Promise<Credential> {
  const { email } = values
  if (typeof email !== 'string') {
    const cookie = await readSecret({
      variable: 'SVC_ADMIN_SESSION',
      fdOption: 'session-fd',
      prompt: 'Session cookie (name=value)',
    })
    return { cookie: cookie.reveal() }
  }

  const source = { variable: 'SVC_ADMIN_PASSWORD', fdOption: 'password-fd', prompt: `Password of ${email}` }
  const password = (await readSecret(source)).reveal()
  const post = postTo(baseUrl)
  const proven = await post('POST /api/auth/sign-in/email', { email, password })
  const answer = (await proven.json().catch(() => undefined)) as AnswerOf<'POST /api/auth/sign-in/email'> | undefined
  if (answer === undefined || !('twoFactorRedirect' in answer)) return { cookie: cookiesOf(proven, email) }

  const asked = { variable: 'SVC_ADMIN_CODE', fdOption: 'code-fd', prompt: 'Code of the authenticator app' }
  const code = (await readSecret(asked)).reveal()
  const way = /^[\d\s]+$/.test(code) ? 'verify-totp' : 'verify-backup-code'
  const finished = await post(`POST /api/auth/two-factor/${way}`, { code }, cookiesOf(proven, email))
  return { cookie: cookiesOf(finished, email) }
}

/** Posts to the sign-in. A response that refuses the person is returned, any other failure is thrown. */
const postTo =
  (baseUrl: string) =>
  async <R extends Route>(route: R, body: BodyOf<R>, cookie?: string): Promise<Response> => {
    const lost = (error: unknown): never => {
      throw unreachable(baseUrl, error)
    }
    const response = await fetch(new URL(addressOf(route).path, baseUrl), {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', origin: baseUrl, ...(cookie === undefined ? {} : { cookie }) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    }).catch(lost)
    const { ok, status } = response
    if (ok || status === 401 || status === 403) return response
    const failure = failureOf(response, await response.text().catch(lost))
    if (failure) throw failure
    if (status >= 500 || status === 429) throw unexpected(baseUrl, response)
    return response
  }

/** The cookies of a response that signs in or asks for a second factor. */
function cookiesOf(response: Response, email: string): string {
  const cookies = response.headers
    .getSetCookie()
    .filter((line) => !deletesCookie(line))
    .map((line) => line.split(';', 1)[0])
  if (!response.ok || cookies.length === 0)
    throw fail('unauthenticated', undefined, { message: `${email} could not be signed in.` })
  return cookies.join('; ')
}
