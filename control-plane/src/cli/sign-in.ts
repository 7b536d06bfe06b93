import { fail } from '@svc/shared/wire/errors.ts'
import type { CommandContext, OptionValues } from './command.ts'
import { unreachable, type Credential } from './admin-client.ts'

type Deps = { baseUrl: string; values: OptionValues; readSecret: CommandContext['readSecret'] }

/**
 * A session of a system admin: with --email a fresh one by password, which changes need; else the cookie of a session
 * that exists, as `name=value`.
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
  const response = await fetch(new URL('/api/auth/sign-in/email', baseUrl), {
    method: 'POST',
    redirect: 'error',
    headers: { 'content-type': 'application/json', origin: baseUrl },
    body: JSON.stringify({ email, password }),
  }).catch((error: unknown) => {
    throw unreachable(baseUrl, error)
  })
  const cookies = response.headers.getSetCookie().map((line) => line.split(';')[0])
  if (!response.ok || cookies.length === 0)
    throw fail('unauthenticated', undefined, { message: `${email} could not be signed in.` })
  return { cookie: cookies.join('; ') }
}
