import type { onRequestHookHandler } from 'fastify'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { readSessionToken, sessionCookieLine, withoutCookie } from './session-cookie.ts'

type Options = { name: string; secret: Secret; previous: Secret; seconds: number }

/**
 * Signs a session cookie anew that the previous secret signed, so that nobody is signed out when the secret changes. It
 * runs before every route: guards and the sign-in handler see a cookie of the current secret alone.
 */
export function resignSession({ name, secret, previous, seconds }: Options): onRequestHookHandler {
  return (request, reply, done) => {
    const { headers } = request.raw
    const token = readSessionToken(headers.cookie, { name, secret: previous })
    if (token !== undefined) {
      const line = sessionCookieLine({ name, secret }, { token, seconds })
      const others = withoutCookie(headers.cookie ?? '', name)
      headers.cookie = [others, line.split(';', 1)[0]].filter(Boolean).join('; ')
      reply.header('set-cookie', line)
    }
    done()
  }
}
