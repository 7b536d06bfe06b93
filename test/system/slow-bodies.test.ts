import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { watchBody } from '@svc/shared/http/body-pace.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { createHttpServer } from '../../control-plane/src/http/http-server.ts'
import { createMetrics } from '../../control-plane/src/http/metrics.ts'
import { createVerifyAssertion } from '../../daemon/src/entry/verify-assertion.ts'
import { createHttpServer as createDaemonServer } from '../../daemon/src/http/http-server.ts'
import { verifies } from '../requirements.ts'
import { startRelay } from '../support/relay.ts'
import { until } from '../support/until.ts'

const bodyPace = { windowMs: 200, leastBytes: 1_000 }
const log = createLog({ service: 'test', level: 'silent' })
const closing: (() => unknown)[] = []
const places = new Map<string, { port: number; head: string }>()

beforeAll(async () => {
  const api = await createHttpServer({
    baseUrl: 'http://localhost',
    vaultOriginTemplate: 'http://{label}.localhost',
    trustedProxies: [],
    log,
    metrics: createMetrics(),
    bodyPace,
  })
  api.post('/api/any', async () => ({ ok: true }))
  const server = createServer()
  const daemon = createDaemonServer({
    server,
    log,
    allowedHosts: [],
    verifyAssertion: createVerifyAssertion({ clock: systemClock }),
    maxBodyBytes: 100_000,
    bodyPace,
  })
  server.on('request', daemon.handle)
  daemon.app.post('/api/any', async () => ({ ok: true }))
  for (const [name, app] of [
    ['the API', api],
    ['the daemon', daemon.app],
  ] as const) {
    await app.listen({ host: '127.0.0.1', port: 0 })
    closing.push(() => app.close())
    const { port } = app.server.address() as AddressInfo
    places.set(name, { port, head: 'POST /api/any HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json' })
  }
  const relay = await startRelay({ bodyPace })
  closing.push(relay.close)
  const { host, origin } = await relay.makeOrganization()
  const form = 'Content-Type: application/x-www-form-urlencoded'
  const enter = `POST /_svc/enter HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${relay.baseUrl}\r\n${form}`
  places.set('the entry form', { port: relay.port, head: enter })
  const leave = `POST /_svc/leave HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}`
  places.set('leaving', { port: relay.port, head: leave })
  places.set('the dial-in', { port: relay.port, head: `POST /t/x HTTP/1.1\r\nHost: localhost:${relay.port}` })
})
afterAll(() => Promise.all(closing.map((close) => close())))

/** Sends a body byte by byte until a response arrives, then waits until the other side closes. Returns the response. */
async function dribble({ port, head }: { port: number; head: string }): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.write(`${head}\r\nContent-Length: 4000\r\n\r\n`)
  const timer = setInterval(() => socket.writable && socket.write('x'), 20)
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    clearInterval(timer) // a byte after the end would reset the connection, and with it the response
  })
  await new Promise((resolve) => socket.once('close', resolve))
  return text
}

test.each(['the API', 'the daemon', 'the entry form'])('%s takes no body that dribbles', async (name) => {
  verifies('security.body-pace')
  const answer = await dribble(places.get(name)!)
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  expect(answer).toContain('"code":"request_timeout"')
})

test('an answered request whose body still dribbles loses its connection', async () => {
  verifies('security.body-pace')
  expect(await dribble(places.get('leaving')!)).toMatch(/^HTTP\/1\.1 303 /)
  expect(await dribble(places.get('the dial-in')!)).toMatch(/^HTTP\/1\.1 401 /)
})

test('a body whose reader is slow is not a slow body', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  closing.push(() => server.close())
  await once(server, 'listening')
  const send = async (body: Buffer): Promise<{ socket: Socket; request: IncomingMessage }> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n')
    socket.write(body)
    const [request] = (await once(server, 'request')) as [IncomingMessage]
    return { socket, request }
  }
  const pace = { windowMs: 10, leastBytes: 10_000_000 }
  const { socket, request } = await send(Buffer.alloc(10_000_000))
  await until('nothing more is taken', () => request.readableLength >= request.readableHighWaterMark)
  let slow = 0
  watchBody(request, pace, () => (slow += 1))

  // Slow bodies that are watched later are noticed in the meantime.
  for (let windows = 0; windows < 5; windows += 1) {
    const other = await send(Buffer.alloc(1))
    await new Promise<void>((resolve) => watchBody(other.request, pace, resolve))
    other.socket.destroy()
  }
  expect(slow).toBe(0)
  request.resume()
  await until('it has taken all and waits for the rest', () => slow === 1)
  socket.destroy()
})
