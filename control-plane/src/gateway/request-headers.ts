import { ASSERTION_HEADER } from '@svc/shared/wire/assertions.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { trimOptionalSpace } from '../http/optional-space.ts'

// What a browser may say to a daemon. Everything else stays at the gateway: cookies, credentials, trust headers in any
// spelling, hop-by-hop headers. Headers that `Connection` names are removed first.
const forwarded = new Set([
  'accept',
  'accept-language',
  'accept-encoding',
  'cache-control',
  'content-type',
  'content-language',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'range',
  'last-event-id',
  'origin',
  'user-agent',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
  'sec-fetch-user',
])
const handshake = new Set([...forwarded, 'sec-websocket-key', 'sec-websocket-version', 'sec-websocket-protocol'])
/** Headers that may occur only once: of two values, parsers could choose different ones. */
const singletons = new Map(
  [
    'host',
    'origin',
    'cookie',
    'content-type',
    'content-length',
    'transfer-encoding',
    'if-match',
    'if-range',
    'range',
    'last-event-id',
    'authorization',
    'upgrade',
    'sec-websocket-key',
    'sec-websocket-version',
    'sec-fetch-site',
    'sec-fetch-mode',
    'sec-fetch-dest',
  ].map((name, index) => [name, 1 << index] as const),
)

type Names = readonly string[]

/** Fails with `invalid_request` when a header that may occur once occurs twice. Node's own view hides the second. */
export function refuseDoubled(rawHeaders: Names): void {
  let seen = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    const bit = singletons.get(name) ?? 0
    if ((seen & bit) !== 0) throw fail('invalid_request', [{ path: name, message: 'is doubled' }])
    seen |= bit
  }
}

type Forward = {
  rawHeaders: Names
  /** The names in the client's `Connection` headers, joined. */
  connection: string | undefined
  host: string
  assertion: string
}

/**
 * The headers that a request carries to the daemon: the client's allowed ones, then Host, then the one assertion, last.
 */
export function requestHeaders(forward: Forward): string[] {
  return select(forward, forwarded)
}

/** The headers that a WebSocket handshake carries to the daemon. */
export function handshakeHeaders(forward: Forward): string[] {
  return [...select(forward, handshake), 'connection', 'Upgrade', 'upgrade', 'websocket']
}

function select({ rawHeaders, connection, host, assertion }: Forward, allowed: Set<string>): string[] {
  const named = namedBy(connection)
  const chosen: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    if (allowed.has(name) && !named?.has(name)) chosen.push(name, rawHeaders[i + 1]!)
  }
  chosen.push('host', host, ASSERTION_HEADER, assertion)
  return chosen
}

function namedBy(connection: string | undefined): Set<string> | undefined {
  if (connection === undefined || connection === 'keep-alive') return undefined
  return new Set(connection.split(',').map((name) => trimOptionalSpace(name).toLowerCase()))
}
