import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { Duplex } from 'node:stream'
import findMyWay from 'find-my-way'
import { ASSERTION_HEADER } from '@svc/shared/wire/assertions.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { createVaultHosts } from '../../control-plane/src/entry/vault-host.ts'
import { createAdmission, type Admitted } from '../../control-plane/src/gateway/admit-request.ts'
import { handshakeHeaders, requestHeaders } from '../../control-plane/src/gateway/request-headers.ts'
import { createClientAddress } from '../../control-plane/src/http/client-address.ts'
import type { EntrySession } from '../../control-plane/src/entry/entry-secret.ts'
import type { EntrySessions } from '../../control-plane/src/entry/entry-sessions.ts'
import type { VaultOrigin } from '../../control-plane/src/entry/vault-origins.ts'
import type { FuzzTarget } from '../support/fuzz.ts'

const LABEL = 'abcdefghijklmnopqrst'
const SECRET = 's'.repeat(43)
const COOKIE = `__Host-svc_entry=${SECRET}`
const orgId = `org_${'a'.repeat(24)}`
const hosts = createVaultHosts('https://{label}.vaults.example')
const origin = hosts.origin(LABEL, 1)
const host = new URL(origin).host
const session = { orgId, vaults: ['a', 'b c'] } as unknown as EntrySession
const addressOf = createClientAddress(['loopback', '10.0.0.0/8'])
const ASSERTION = 'signed'
const OWN = /^(?:cookie|authorization|forwarded|x-.*|connection|transfer-encoding|proxy-.*|te|trailer|upgrade)$/
const lines = (...parts: string[]) => parts.join('\r\n')
const head = (line: string, ...headers: string[]) =>
  lines(line, `Host: ${host}`, `Cookie: ${COOKIE}`, ...headers, '', '')

const { findOrigin, admit } = createAdmission({
  baseUrl: 'https://svc.example',
  origins: {
    secure: hosts.secure,
    matches: hosts.matches,
    findByHost: (asked) => {
      const found = hosts.parse(asked)
      return found && hosts.origin(found.label, found.generation) === origin ? { orgId, origin } : undefined
    },
    originOf: async () => origin,
  },
  entries: { find: (secret: string) => (secret === SECRET ? session : undefined) } as EntrySessions,
})

/**
 * Requests of browsers: an admitted request means the same to another parser, and no trust header of the client passes.
 */
export const target: FuzzTarget = {
  name: 'requests',
  input: 'bytes',
  maxLength: 16 * 1024,
  seeds: [
    head('GET /api/vaults/a/notes/x%20y.md?z=1 HTTP/1.1', 'Accept: */*', 'Sec-Fetch-Site: same-origin'),
    head('PUT /api/vaults/b%20c/notes/n.md HTTP/1.1', `Origin: ${origin}`, 'If-Match: "a"', 'Content-Length: 0'),
    head('GET /api/vaults/a/live/n.md HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: k'),
    head('GET /v/a HTTP/1.1', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'),
    head('HEAD /api/vaults/a HTTP/1.1', 'X-Forwarded-For: 192.0.2.7, 10.0.0.1', 'X-Svc-Assertion: forged'),
  ],
  words: [
    '\r\n',
    '\r\n\r\n',
    ';',
    '; ',
    '=',
    ',',
    ' ',
    '\t',
    '\xa0',
    '\x85',
    COOKIE,
    `${COOKIE}; `,
    `Host: ${host}\r\n`,
    '%2e%2e/',
    '%2F',
    '%5c',
    '%00',
    '%25',
    '%',
    '..',
    './',
    '//',
    '?',
    '#',
    ':',
    '@',
    '%c3%a9',
    '%3b',
    '/api/vaults/b/',
    'Connection: cookie, x-svc-assertion\r\n',
    'Connection: \xa0accept\r\n',
    'X-Svc-Assertion: forged\r\n',
    'X-Forwarded-For: ',
    'unknown',
    '10.0.0.9',
    '::ffff:10.0.0.1',
    '1.2.3.4:5',
    '[::1]',
    'Forwarded: for=x\r\n',
    'Cookie: a=b\r\n',
    'Authorization: Bearer x\r\n',
    'Sec-Fetch-Site: cross-site\r\n',
    'Origin: null\r\n',
  ],
  async call(bytes) {
    for (const request of await requestsOf(bytes)) check(request)
  },
}

/** The requests that Node's server reads from the bytes of one connection. */
async function requestsOf(bytes: Buffer): Promise<IncomingMessage[]> {
  const requests: IncomingMessage[] = []
  const socket = Object.assign(new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() }), {
    remoteAddress: '127.0.0.1',
  })
  socket.on('error', () => {})
  arrived = (request) => void requests.push(request)
  server.emit('connection', socket)
  socket.push(bytes)
  await new Promise((resolve) => setImmediate(resolve))
  socket.destroy()
  return requests
}

let arrived: (request: IncomingMessage) => void = () => {}
const server = createServer({ requireHostHeader: true }, (request) => arrived(request))
server.on('upgrade', (request: IncomingMessage) => arrived(request))
server.on('clientError', (_error, socket) => void socket.destroy())

/** The daemon's router, which parses the target again. */
const daemon = findMyWay({ defaultRoute: () => undefined })
for (const path of ['/api/vaults/:vault', '/api/vaults/:vault/*'])
  daemon.on(['GET', 'HEAD', 'PUT', 'PATCH', 'POST', 'DELETE'], path, () => undefined)

function check(request: IncomingMessage): void {
  const { rawHeaders, headers, method = '', url = '' } = request
  assert.notEqual(isIP(addressOf(request)), 0)
  const { route } = admitted(request) ?? {}
  if (route === undefined) return

  assert.equal(headers.host?.toLowerCase(), host)
  const cookies = valuesOf(rawHeaders, 'cookie').flatMap((value) => value.split(/; */))
  assert.equal(cookies.filter((pair) => pair.replaceAll(/^[ \t]+|[ \t]+$/g, '') === COOKIE).length, 1)
  assert.ok(method === 'GET' || method === 'HEAD' || (headers.origin ?? origin) === origin)
  const [path = ''] = url.split('?')
  // Browsers and proxies may escape more of the path, but must not change its meaning.
  assert.equal(decodeURIComponent(new URL(url, origin).pathname), decodeURIComponent(path))
  if ('vaultId' in route) {
    const found = daemon.find(method as 'GET', url)
    if (found !== null) assert.equal(found.params['vault'], route.vaultId)
    assert.ok(session.vaults.includes(route.vaultId))
  }
  const { connection } = headers
  checkForwarded(rawHeaders, requestHeaders({ rawHeaders, connection, host, assertion: ASSERTION }))
  checkForwarded(rawHeaders, handshakeHeaders({ rawHeaders, connection, host, assertion: ASSERTION }).slice(0, -4))
}

function admitted(request: IncomingMessage): Admitted | undefined {
  try {
    return admit(request, findOrigin(request) as VaultOrigin) as Admitted
  } catch (error) {
    if (isFailure(error)) return undefined
    throw error
  }
}

/** Our headers come last and once; no header of the client claims an identity or is about this connection. */
function checkForwarded(rawHeaders: string[], forwarded: string[]): void {
  assert.deepEqual(forwarded.slice(-4), ['host', host, ASSERTION_HEADER, ASSERTION])
  for (let i = 0; i < forwarded.length - 4; i += 2) {
    const name = forwarded[i]!
    assert.ok(!OWN.test(name) && name !== 'host')
    assert.ok(valuesOf(rawHeaders, name).includes(forwarded[i + 1]!))
  }
}

function valuesOf(rawHeaders: string[], wanted: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === wanted)
}
