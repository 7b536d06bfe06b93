import type { onRequestHookHandler } from 'fastify'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { readSessionToken, sessionCookieLine, withoutCookie } from './session-cookie.ts'

type Options = { name: string; secret: Secret; previous: Secret; seconds: number }

/**
 * Re-signs a session cookie that the previous secret signed, so that a change of secrets signs nobody out. Runs before
 * every route: guards and the sign-in handler only see cookies of the current secret.
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
