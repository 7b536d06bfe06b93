import type { onRequestHookHandler } from 'fastify'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { readSessionToken, sessionCookieLine, withoutCookie } from './session-cookie.ts'

type Options = {
  /** The session cookie, which the browser keeps for a time after the change. */
  session: { name: string; seconds: number }
  /** Cookies of a sign-in under way, signed like the session cookie. They end before the previous secret is removed. */
  underWay: readonly string[]
  secret: Secret
  previous: Secret
}

/**
 * Re-signs cookies that the previous secret signed, so that a change of secrets signs nobody out and ends no sign-in.
 * Runs before every route: guards and the sign-in handler only see cookies of the current secret.
 */
export function resignCookies({ session, underWay, secret, previous }: Options): onRequestHookHandler {
  return (request, reply, done) => {
    const { headers } = request.raw
    for (const name of [session.name, ...underWay]) {
      const token = readSessionToken(headers.cookie, { name, secret: previous })
      if (token === undefined) continue
      const line = sessionCookieLine({ name, secret }, { token, seconds: session.seconds })
      const others = withoutCookie(headers.cookie ?? '', name)
      headers.cookie = [others, line.split(';', 1)[0]].filter(Boolean).join('; ')
      if (name === session.name) reply.header('set-cookie', line)
    }
    done()
  }
}
