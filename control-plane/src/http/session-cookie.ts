import { createHmac } from 'node:crypto'
import { sameBytes } from '@svc/shared/kit/same-secret.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { trimOptionalSpace } from './optional-space.ts'

/**
 * Name of the session cookie: bound to the host over https; with the port on loopback, where all servers share the
 * cookies.
 */
export function sessionCookieName(baseUrl: string): string {
  const { protocol, port } = new URL(baseUrl)
  return protocol === 'https:' ? '__Host-svc_session' : `svc_session_${port || '80'}`
}

/** Name of another cookie of the sign-in, bound like the session cookie. */
export const siblingCookie = (sessionCookie: string, purpose: string): string =>
  sessionCookie.replace('svc_session', `svc_${purpose}`)

/** All values of a cookie in a Cookie header. A browser normally sends one; two mean that somebody planted one. */
export function cookieValues(header: string | undefined, name: string): string[] {
  return (header ?? '')
    .split(';')
    .map(trimOptionalSpace)
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
}

/** A Cookie header without one of its cookies. */
export function withoutCookie(header: string, name: string): string {
  return header
    .split(';')
    .map(trimOptionalSpace)
    .filter((pair) => pair !== '' && !pair.startsWith(`${name}=`))
    .join('; ')
}

/** Whether a Set-Cookie line deletes its cookie. */
export const deletesCookie = (line: string): boolean => /;\s*max-age=0\s*(;|$)/i.test(line)

/** The Set-Cookie line of a session, in the sign-in handler's format. */
export function sessionCookieLine(
  cookie: { name: string; secret: Secret },
  session: { token: string; seconds: number },
) {
  const signature = createHmac('sha256', cookie.secret.macKey()).update(session.token).digest('base64')
  const value = encodeURIComponent(`${session.token}.${signature}`)
  const secure = cookie.name.startsWith('__Host-') ? '; Secure' : ''
  return `${cookie.name}=${value}; Max-Age=${session.seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`
}

/** The session token of a request: exactly one cookie, signed by us. Two of that name count as none. */
export function readSessionToken(header: string | undefined, cookie: { name: string; secret: Secret }) {
  const [value, ...others] = cookieValues(header, cookie.name)
  if (value === undefined || others.length > 0) return undefined

  const signed = decode(value)
  const dot = signed.lastIndexOf('.')
  if (dot < 1) return undefined
  const token = signed.slice(0, dot)
  const expected = createHmac('sha256', cookie.secret.macKey()).update(token).digest()
  const given = Buffer.from(signed.slice(dot + 1), 'base64')
  return sameBytes(given, expected) ? token : undefined
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return ''
  }
}
