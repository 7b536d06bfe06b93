import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile } from 'node:fs/promises'
import { createServer as createHttp, Server as HttpServer, type RequestListener } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { connect, createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { WebSocketServer } from 'ws'
import { diagnoseRelay } from '../../daemon/src/diagnosis/diagnose-relay.ts'
import { verifies } from '../requirements.ts'
import { freePort } from '../support/free-port.ts'
import { startRelay } from '../support/relay.ts'
import type { RelayHarness } from '../support/relay-replica.ts'
import { runSvcd } from '../support/svcd.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { until } from '../support/until.ts'

let harness: RelayHarness
let org: Awaited<ReturnType<RelayHarness['makeOrganization']>>
let folder: string
const open: Server[] = []

const found = async () => [{ address: '127.0.0.1', family: 4 }]
const at = (origin: string) => `${origin}/t/${org.orgId}`
type Given = { url?: string; token?: string; proxy?: string; clock?: Clock; lookup?: typeof found; waitMs?: number }
const diagnose = ({ url, token = org.apiKey, proxy, clock = systemClock, lookup = found, waitMs = 60_000 }: Given) =>
  diagnoseRelay({
    relay: {
      url: url ?? at(`http://127.0.0.1:${harness.port}`),
      key: { kind: 'text', token: new Secret(token) },
      proxy,
    },
    clock,
    lookup,
    waitMs,
  })
const codeOf = async (given: Given) => (await diagnose(given)).cause?.code

async function listen<T extends Server>(server: T): Promise<number> {
  open.push(server)
  server.on('connection', (socket: Socket) => socket.on('error', () => {}))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
const serve = async (listener: RequestListener) => at(`http://127.0.0.1:${await listen(createHttp(listener))}`)

/** A proxy in front of the relay that changes the data in transit. `change` may answer an upgrade itself. */
async function relayBehind(change: (client: Socket, relay: Socket) => void): Promise<string> {
  const port = await listen(
    createTcp((client) => {
      const relay = connect(harness.port, '127.0.0.1')
      relay.on('error', () => client.destroy())
      client.once('close', () => relay.destroy())
      relay.once('close', () => client.destroySoon())
      change(client, relay)
    }),
  )
  return at(`http://127.0.0.1:${port}`)
}
const straight = (client: Socket, relay: Socket) => client.pipe(relay).pipe(client)

/** A self-signed certificate for one name. */
async function certificate(name: string): Promise<{ key: Buffer; cert: Buffer }> {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '10']
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  await promisify(execFile)('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', cert])
  return { key: await readFile(key), cert: await readFile(cert) }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-diag-'))
  harness = await startRelay({ acceptsPerSecond: 1000 })
  org = await harness.makeOrganization()
})
afterEach(() => {
  for (const server of open.splice(0)) {
    if (server instanceof HttpServer) server.closeAllConnections()
    server.close()
  }
})
afterAll(async () => {
  await harness?.close()
  await removeFolder(folder)
})

test('finds nothing wrong with a relay that can be reached, and leaves no trace there', async () => {
  verifies('daemon.diag')
  const diagnosis = await diagnose({})
  expect(diagnosis).toMatchObject({ ok: true, exitCode: 0 })
  expect(diagnosis.checks.map(({ name, result }) => `${name} ${result}`)).toEqual([
    'configuration ok',
    'dns ok',
    'proxy skipped',
    'connection ok',
    'tls skipped',
    'service ok',
    'clock ok',
    'websocket ok',
    'frames ok',
  ])
  expect(harness.relay.tunnelCount()).toBe(0)
  const row = await harness.db.selectFrom('daemon_keys').select('instance_key').executeTakeFirstOrThrow()
  expect(row.instance_key).toBeNull()
})

test('tells names that do not exist from name servers that do not answer', async () => {
  const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }))
  const url = at('https://relay.example.test')
  expect(await codeOf({ url, lookup: failing('ENOTFOUND') })).toBe('dns_not_found')
  expect(await diagnose({ url, lookup: failing('EAI_AGAIN') })).toMatchObject({
    cause: { code: 'dns_unavailable' },
    exitCode: 75,
  })
})

test('names a closed port, and a port that speaks no HTTP', async () => {
  expect(await codeOf({ url: at(`http://127.0.0.1:${await freePort()}`) })).toBe('connection_refused')
  const other = await listen(createTcp((socket) => socket.end('220 mail.example.test ESMTP\r\n')))
  expect(await codeOf({ url: at(`http://127.0.0.1:${other}`) })).toBe('not_the_service')
})

test('names what is wrong with a proxy', async () => {
  const proxy = async (head: string) => {
    const server = createTcp((socket) => socket.once('data', () => socket.end(head)))
    return `http://127.0.0.1:${await listen(server)}`
  }
  const url = at('http://relay.example.test:8080')
  expect(await codeOf({ url, proxy: await proxy('HTTP/1.1 407 No\r\n\r\n') })).toBe('proxy_credentials')
  expect(await codeOf({ url, proxy: await proxy('HTTP/1.1 403 No\r\n\r\n') })).toBe('proxy_refused')
  expect(await codeOf({ url, proxy: 'http://127.0.0.1:1' })).toBe('proxy_unreachable')

  let asked = ''
  const working = createTcp((socket) =>
    socket.once('data', (head: Buffer) => {
      asked = head.toString('latin1')
      const relay = connect(harness.port, '127.0.0.1')
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      straight(socket, relay)
      socket.once('close', () => relay.destroy())
    }),
  )
  const through = `http://user:pass@127.0.0.1:${await listen(working)}`
  expect(await diagnose({ url, proxy: through })).toMatchObject({ ok: true })
  expect(asked).toContain('CONNECT relay.example.test:8080 HTTP/1.1')
  expect(asked).toContain(`proxy-authorization: Basic ${Buffer.from('user:pass').toString('base64')}`)
})

test('names what is wrong with TLS', async () => {
  const serveTls = async (identity: { key: Buffer; cert: Buffer }) =>
    at(`https://localhost:${await listen(createHttps(identity, (_request, response) => response.end()))}`)
  expect(await codeOf({ url: await serveTls(await certificate('localhost')) })).toBe('tls_untrusted')

  const other = await certificate('other.example.test')
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, other.cert.toString()])
  expect(await codeOf({ url: await serveTls(other) })).toBe('tls_wrong_name')
  setDefaultCACertificates(before)
  expect(await codeOf({ url: at(`https://127.0.0.1:${harness.port}`) })).toBe('tls_missing')
})

test('names sign-in pages, redirects and answers that never come', async () => {
  const portal = await serve((_request, response) => response.end('<html>Welcome to the hotel</html>'))
  expect(await codeOf({ url: portal })).toBe('not_the_service')
  const redirect = await serve((_request, response) => response.writeHead(302, { location: 'http://portal/' }).end())
  expect(await codeOf({ url: redirect })).toBe('redirected')
})

test('names a clock that is ahead or behind', async () => {
  for (const seconds of [-60, 60]) {
    const clock = { ...systemClock, now: () => new Date(Date.now() + seconds * 1000) }
    expect(await diagnose({ clock })).toMatchObject({ cause: { code: 'clock_skew' }, exitCode: 1 })
  }
})

test('takes no time that passes during a request for a wrong clock', async () => {
  let laterMs = 0
  const clock = { ...systemClock, now: () => new Date(Date.now() + laterMs) }
  const slow = await relayBehind((client, relay) => {
    relay.once('data', () => void (laterMs = 60_000))
    straight(client, relay)
  })
  expect(await diagnose({ url: slow, clock })).toMatchObject({ ok: true })
})

test('names a refused key, and never shows one', async () => {
  const wrong = `svc_dmn_${'x'.repeat(43)}`
  const diagnosis = await diagnose({ token: wrong })
  expect(diagnosis).toMatchObject({ cause: { code: 'key_refused' }, exitCode: 1 })
  expect(JSON.stringify([diagnosis, await diagnose({})])).not.toMatch(/svc_dmn_/)
})

test('names WebSockets that are blocked, altered or held back', async () => {
  const failure = '{"ok":false,"error":{"code":"unauthenticated","message":"","requestId":"1"}}'
  const forbidding = await relayBehind((client, relay) => {
    client.on('data', (chunk: Buffer) => {
      if (/^upgrade:/im.test(chunk.toString('latin1'))) client.end('HTTP/1.1 403 No\r\ncontent-length: 2\r\n\r\nNo')
      else relay.write(chunk)
    })
    relay.pipe(client)
  })
  expect(await codeOf({ url: forbidding })).toBe('websocket_blocked')
  const stripping = await relayBehind((client, relay) => {
    client.on('data', (chunk: Buffer) => relay.write(chunk.toString('latin1').replace(/upgrade: websocket\r\n/i, '')))
    relay.pipe(client)
  })
  expect(await codeOf({ url: stripping })).toBe('websocket_blocked')

  const behind = async (onUpgrade: (server: WebSocketServer) => void, handleProtocols: () => string | false) => {
    const http = createHttp((_request, response) => response.writeHead(401).end(failure))
    const sockets = new WebSocketServer({ server: http, handleProtocols })
    onUpgrade(sockets)
    return at(`http://127.0.0.1:${await listen(http)}`)
  }
  expect(
    await codeOf({
      url: await behind(
        () => {},
        () => false,
      ),
    }),
  ).toBe('websocket_altered')
  const silent = await behind(
    () => {},
    () => 'svc-relay.v1',
  )
  // The steps before have no more time than this, and each may need it on a busy machine.
  await until('the frame is missed', async () => (await codeOf({ url: silent, waitMs: 1_000 })) === 'websocket_stalled')
})

test('names a limit of message sizes', async () => {
  const limited = await relayBehind((client, relay) => {
    let bytes = 0
    client.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > 40_000) client.destroy()
      else relay.write(chunk)
    })
    relay.pipe(client)
  })
  const diagnosis = await diagnose({ url: limited })
  expect(diagnosis.cause).toMatchObject({ code: 'frame_limit', details: expect.stringContaining('65536 bytes') })
})

test('svcd diag prints a report, or JSON, and ends with the documented code', async () => {
  const env = { SVC_RELAY_URL: at(`http://127.0.0.1:${harness.port}`), SVC_RELAY_TOKEN: org.apiKey }
  const good = await runSvcd(env, ['diag'])
  expect(good).toMatchObject({ code: 0, stderr: '' })
  expect(good.stdout).toContain('The relay can be reached.')

  const bad = await runSvcd({ ...env, SVC_RELAY_TOKEN: `svc_dmn_${'y'.repeat(43)}` }, ['diag', '--json'])
  expect(bad.code).toBe(1)
  expect(JSON.parse(bad.stdout)).toMatchObject({ ok: false, cause: { code: 'key_refused' } })

  expect((await runSvcd({}, ['diag'])).code).toBe(78)
  expect((await runSvcd({ SVC_RELAY_URL: env.SVC_RELAY_URL }, ['diag'])).code).toBe(78)
  expect((await runSvcd(env, ['diag', '--yaml'])).code).toBe(64)
  expect((await runSvcd({}, ['--help'])).stdout).toContain('svcd diag [--json]')
})
