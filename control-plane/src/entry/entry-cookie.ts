import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { trimOptionalSpace } from '../http/optional-space.ts'
import { entryKey } from './entry-secret.ts'

// Browsers differ on `Secure` and the prefix over http, even on loopback; there the plain name is used.
const nameOf = (secure: boolean) => (secure ? '__Host-svc_entry' : 'svc_entry')

/** The value of the entry cookie. Two cookies of that name count as none: a page of another host may have set one. */
export function readEntryCookie({ headers }: Pick<IncomingMessage, 'headers'>, secure: boolean): string | undefined {
  const wanted = `${nameOf(secure)}=`
  const values = (headers.cookie ?? '')
    .split(';')
    .map(trimOptionalSpace)
    .filter((pair) => pair.startsWith(wanted))
  return values.length === 1 ? values[0]!.slice(wanted.length) : undefined
}

/**
 * Reads the key of a request's entry cookie. A connection sends the same cookies with each request, so they are parsed
 * and hashed once per run of equal requests.
 */
export function createEntryKeys(secure: boolean): (request: IncomingMessage) => string | undefined {
  const last = new WeakMap<Socket, { cookie: string; key: string | undefined }>()
  return (request) => {
    const { cookie } = request.headers
    if (cookie === undefined) return undefined
    const known = last.get(request.socket)
    if (known?.cookie === cookie) return known.key
    const secret = readEntryCookie(request, secure)
    const key = secret === undefined ? undefined : entryKey(secret)
    last.set(request.socket, { cookie, key })
    return key
  }
}

/** The header that sets the entry cookie. */
export function entryCookie(
  value: string,
  { secure, maxAgeSeconds }: { secure: boolean; maxAgeSeconds: number },
): string {
  const flags = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`
  return `${nameOf(secure)}=${value}; ${flags}${secure ? '; Secure' : ''}`
}
