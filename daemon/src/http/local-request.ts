import type { IncomingMessage } from 'node:http'
import type { LocalRequest } from './local-rules.ts'

/** The parts of a request that the rules for this machine check. */
export function localRequestOf({ headers, method, rawHeaders, url = '' }: IncomingMessage): LocalRequest {
  return {
    method: method ?? '',
    target: url,
    hosts: valuesOf('host', rawHeaders),
    origin: headers.origin,
    fetchSite: single(headers['sec-fetch-site']),
    fetchMode: single(headers['sec-fetch-mode']),
    fetchDest: single(headers['sec-fetch-dest']),
  }
}

/** All values of a header as sent: Node joins or drops repeated ones in its own view of them. */
export function valuesOf(name: string, rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name)
}

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value
