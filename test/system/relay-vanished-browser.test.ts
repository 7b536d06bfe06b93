import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { QUIET_MS } from '../../control-plane/src/gateway/public-gateway.ts'
import { verifies } from '../requirements.ts'
import { startRelay } from '../support/relay.ts'
import { startDaemon, type RelayHarness } from '../support/relay-replica.ts'
import { standsStill } from '../support/stands-still.ts'
import { PATIENCE_MS, until } from '../support/until.ts'

// A browser that disappears in the middle of an upload or while it is held, by closing or by resetting its connection.
let relay: RelayHarness
let org: Awaited<ReturnType<RelayHarness['makeOrganization']>>
let daemon: Awaited<ReturnType<typeof startDaemon>>
let cookie: string
/** The number of streams that the daemon has open for an upload. */
let uploads = 0
let received = 0
/** The number of times that a daemon was woken. */
let woken = 0
const wake = async () => {
  woken += 1
  return 'sleeping' as const
}

beforeAll(async () => {
  relay = await startRelay({ hosted: { state: async () => 'sleeping', wakeIfAsleep: wake } })
  org = await relay.makeOrganization()
  daemon = await startDaemon(relay, org, (request, response) => {
    if (request.method !== 'PUT') return void response.end('ok')
    uploads += 1
    request.socket.once('close', () => (uploads -= 1))
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (request.url?.endsWith('/stalled.bin')) request.pause()
    })
  })
  cookie = await relay.enter({ orgId: org.orgId, person: await relay.makePerson(org.orgId), vault: 'v' })
  await until('the daemon is connected', async () => (await relay.relay.status(org.orgId)).connected)
})
afterAll(async () => {
  await daemon?.close()
  await relay?.close()
})

/**
 * Starts an upload of 100 MB and sends the first bytes of it: no more than gateway and tunnel buffer. With more bytes,
 * the kernels would deliver those first, and nobody would notice the end of the connection.
 */
async function upload(file: string, bytes: number): Promise<Socket> {
  const socket = connect(relay.port, '127.0.0.1')
  socket.on('error', () => {})
  received = 0
  socket.write(
    `PUT /api/vaults/v/attachments/${file} HTTP/1.1\r\nHost: ${org.host}\r\nCookie: ${cookie}\r\nOrigin: ${org.origin}\r\nContent-Length: 104857600\r\n\r\n`,
  )
  socket.write(Buffer.alloc(bytes))
  await until('the upload is under way', () => uploads === 1 && received > 0)
  const other = { host: org.host, path: '/api/vaults/v/tree', headers: { cookie } }
  await standsStill(
    () => received + socket.writableLength,
    () => relay.ask(other),
  )
  return socket
}

const goings: [string, (socket: Socket) => void][] = [
  ['closes', (socket) => void socket.destroy()],
  ['ends its half', (socket) => void socket.end()],
  ['resets', (socket) => void socket.resetAndDestroy()],
]
const uploadsUnderWay: [string, string, number][] = [
  ['the daemon reads', 'read.bin', 1_000_000],
  ['the daemon has stopped reading', 'stalled.bin', 100_000],
]
const cases = goings.flatMap(([how, go]) => uploadsUnderWay.map(([what, ...sent]) => [how, what, sent, go] as const))

test.each(cases)(
  'a browser that %s in the middle of an upload that %s is noticed at once',
  async (_h, _w, sent, go) => {
    verifies('relay.vanished-browser')
    const socket = await upload(...sent)
    go(socket)
    // The limit on quiet connections would end the stream only after twice the time that this waits.
    expect(QUIET_MS).toBeGreaterThanOrEqual(2 * PATIENCE_MS)
    await until('the stream to the daemon is gone', () => uploads === 0)
    socket.destroy()
  },
)

test('a browser that resets while its live session waits for the daemon opens none', async () => {
  verifies('relay.vanished-browser')
  const asleep = await relay.makeOrganization()
  const person = await relay.makePerson(asleep.orgId)
  const headers = { cookie: await relay.enter({ orgId: asleep.orgId, person, vault: 'v' }), origin: asleep.origin }
  const socket = connect(relay.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    `GET /api/vaults/v/live/gone.md HTTP/1.1\r\nHost: ${asleep.host}\r\nCookie: ${headers.cookie}\r\nOrigin: ${asleep.origin}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  )
  await until('the request is held', () => woken === 1)
  socket.resetAndDestroy()
  await once(socket, 'close')

  const awake = await startDaemon(relay, asleep, (_request, response) => void response.end('ok'))
  const sessions = new WebSocketServer({ noServer: true })
  awake.server.on('upgrade', (request, stream, head) => sessions.handleUpgrade(request, stream, head, () => {}))
  const live = new WebSocket(`ws://127.0.0.1:${relay.port}/api/vaults/v/live/a.md`, {
    headers: { ...headers, host: asleep.host },
  })
  await once(live, 'open')
  await until('the session of the browser that stayed is the only one', () => sessions.clients.size === 1)
  live.terminate()
  await until('it ends, too', () => sessions.clients.size === 0)
  await awake.close()
})
