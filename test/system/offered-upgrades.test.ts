import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { listen, type Door } from '../../control-plane/src/http/listen.ts'
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

async function ask(open: () => Promise<Server>, host: string, protocol: string): Promise<string> {
  const server = await open()
  servers.push(server)
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const lines = [
    'GET / HTTP/1.1',
    `Host: ${host}`,
    'Connection: Upgrade, HTTP2-Settings, close',
    `Upgrade: ${protocol}`,
    'HTTP2-Settings: AAMAAABkAAQAAP__',
  ]
  socket.write([...lines, '', ''].join('\r\n'))
  return text(socket)
}

test.each(doors)('%s serves a client that offers to speak HTTP/2', async (_what, open) => {
  verifies('http.offered-upgrade')
  for (const host of ['localhost', 'abcdefgh.localhost'])
    for (const protocol of ['h2c', 'foo'])
      expect(await ask(open, host, protocol)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*served/)
})

test.each(doors.slice(1))('%s still takes a WebSocket', async (_what, open) => {
  expect(await ask(open, 'abcdefgh.localhost', 'WebSocket')).toMatch(/^HTTP\/1\.1 101 /)
})
