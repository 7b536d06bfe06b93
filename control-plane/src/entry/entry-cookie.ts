import type { IncomingMessage } from 'node:http'
import { trimOptionalSpace } from '../http/optional-space.ts'

// Browsers differ on `Secure` and the prefix over http, even on loopback; there the plain name is used.
const nameOf = (secure: boolean) => (secure ? '__Host-svc_entry' : 'svc_entry')

/** The value of the entry cookie. Two of the name count as none: a page of another host may have set one. */
export function readEntryCookie({ headers }: Pick<IncomingMessage, 'headers'>, secure: boolean): string | undefined {
  const wanted = `${nameOf(secure)}=`
  const values = (headers.cookie ?? '')
    .split(';')
    .map(trimOptionalSpace)
    .filter((pair) => pair.startsWith(wanted))
  return values.length === 1 ? values[0]!.slice(wanted.length) : undefined
}

/** The header that sets the entry cookie. */
export function entryCookie(
  value: string,
  { secure, maxAgeSeconds }: { secure: boolean; maxAgeSeconds: number },
): string {
  const flags = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`
  return `${nameOf(secure)}=${value}; ${flags}${secure ? '; Secure' : ''}`
}
