import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { listen, stopListening, type Door } from '../../control-plane/src/http/listen.ts'
import { createFrontDoor } from '../../embedded/front-door.ts'
import { verifies } from '../requirements.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

const request: Door['request'] = (_request, response) => void response.end('served')
const upgrade = (_request: unknown, socket: Duplex) => void socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n')

const doors: [string, () => Promise<Server>][] = [
  ['the API', () => listen({ request }, { host: '127.0.0.1', port: 0 })],
  ['the gateway', () => listen({ request, upgrade }, { host: '127.0.0.1', port: 0 })],
  [
    'the embedded platform',
    async () => {
      const room = { request, upgrade }
      const server = createFrontDoor({ api: request, gateway: room, dialIn: room }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    },
  ],
]

async function started(open: () => Promise<Server>): Promise<Server> {
  const server = await open()
  servers.push(server)
  return server
}

/** A connection on which a client has offered to speak `protocol` from now on. */
function offer(server: Server, host: string, protocol: string): Socket {
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
  const lines = [
    'GET / HTTP/1.1',
    `Host: ${host}`,
    'Connection: Upgrade, HTTP2-Settings, close',
    `Upgrade: ${protocol}`,
    'HTTP2-Settings: AAMAAABkAAQAAP__',
  ]
  socket.write([...lines, '', ''].join('\r\n'))
  return socket
}
const ask = async (open: () => Promise<Server>, host: string, protocol: string): Promise<string> =>
  text(offer(await started(open), host, protocol))

test.each(doors)('%s serves a client that offers to speak HTTP/2', async (_what, open) => {
  verifies('http.offered-upgrade')
  for (const host of ['localhost', 'abcdefgh.localhost'])
    for (const protocol of ['h2c', 'foo'])
      expect(await ask(open, host, protocol)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*served/)
})

test.each(doors.slice(1))('%s still takes a WebSocket', async (_what, open) => {
  expect(await ask(open, 'abcdefgh.localhost', 'WebSocket')).toMatch(/^HTTP\/1\.1 101 /)
})

describe.each(doors.filter(([what]) => what !== 'the gateway'))('%s takes no WebSocket at this host', (_what, open) => {
  const host = 'localhost'

  test('and says so', async () => {
    const answer = await ask(open, host, 'websocket')
    expect(answer).toMatch(/^HTTP\/1\.1 404 Not Found\r\n[^]*"code":"not_found"/)
  })

  test('a client that resets its connection ends no process', async () => {
    verifies('security.upgrade-errors')
    const server = await started(open)
    const reset = Promise.withResolvers<void>()
    server.prependOnceListener('upgrade', (_request, accepted: Duplex) => {
      accepted.once('close', reset.resolve)
      client.resetAndDestroy()
    })
    const client = offer(server, host, 'websocket')
    await reset.promise
    expect(await text(offer(server, host, 'h2c'))).toContain('served')
  })

  test('a client that keeps its side open does not delay the end', async () => {
    const server = await started(open)
    const socket = offer(server, host, 'websocket')
    socket.resume()
    await once(socket, 'end')
    await stopListening(server, 60_000)
    socket.destroy()
  })
})
