import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterEach, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { Secret } from '@svc/shared/kit/secret.ts'
import { TUNNEL_SUBPROTOCOL } from '@svc/shared/wire/tunnel-hello.ts'
import { openRelaySocket } from '../../daemon/src/relay/open-relay-socket.ts'
import { verifies } from '../requirements.ts'
import { until } from '../support/until.ts'

const token = new Secret('svc_dmn_key')
const opened: Server[] = []

async function listen(server: Server): Promise<number> {
  opened.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
const dial = (url: string, proxy?: string) =>
  openRelaySocket({ url, token, proxy, signal: new AbortController().signal })

afterEach(() => {
  for (const server of opened.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

test('a relay that redirects gets no second dial, and the other address never sees the key', async () => {
  verifies('security.dial-redirect')
  const seen: string[] = []
  const other = createServer((request, response) => {
    seen.push(request.url ?? '')
    response.end()
  })
  other.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    seen.push(request.url ?? '')
    socket.destroy()
  })
  const elsewhere = await listen(other)
  const redirecting = createServer()
  redirecting.on('upgrade', (_request: IncomingMessage, socket: Duplex) =>
    socket.end(`HTTP/1.1 307 Moved\r\nlocation: http://127.0.0.1:${elsewhere}/t/x\r\ncontent-length: 0\r\n\r\n`),
  )
  const refused = dial(`http://127.0.0.1:${await listen(redirecting)}/t/x`)
  await expect(refused).rejects.toMatchObject({ code: 'daemon_offline', details: { reason: 'redirect', status: 307 } })
  expect(seen).toEqual([])
})

/** A relay that returns the mask of the first frame that it receives. */
async function maskReader() {
  const mask = Promise.withResolvers<Buffer>()
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => TUNNEL_SUBPROTOCOL })
  const server = createServer()
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // A short frame: two bytes of header, four of the mask.
    socket.once('data', (frame: Buffer) => mask.resolve(frame.subarray(2, 6)))
    sockets.handleUpgrade(request, socket, head, () => {})
  })
  return { port: await listen(server), mask: mask.promise }
}

test.each([
  ['on loopback the mask is zero', (port: number) => dial(`http://127.0.0.1:${port}/t/x`), true],
  ['without TLS to another host it is random', throughProxy, false],
])('%s', async (_name, open, isZero) => {
  verifies('relay.zero-mask')
  const relay = await maskReader()
  const { socket, resume } = await open(relay.port)
  resume()
  const payload = Buffer.from('hello')
  socket.send(Buffer.concat([socket.lead?.(payload.length) ?? Buffer.alloc(0), payload]), () => {})
  expect((await relay.mask).equals(Buffer.alloc(4))).toBe(isZero)
  socket.terminate()
})

/** Dials a name that is not loopback, through a proxy that always connects to this port. */
async function throughProxy(port: number) {
  const proxy = createServer()
  proxy.on('connect', (_request: IncomingMessage, client: Duplex) => {
    const relay = connect(port, '127.0.0.1')
    client.write('HTTP/1.1 200 OK\r\n\r\n')
    client.pipe(relay).pipe(client)
    client.on('error', () => relay.destroy())
    relay.on('error', () => client.destroy())
  })
  return dial('http://relay.example/t/x', `http://127.0.0.1:${await listen(proxy)}`)
}

/** A proxy that says this to each connection and then keeps silent. `sockets` are its connections. */
async function silentProxy(said: string) {
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.once('data', () => socket.write(said)).resume()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, close: () => server.close() }
}
const noConnection = { code: 'daemon_offline', details: { reason: 'no_connection' } }

test.each([
  ['CONNECT', ''],
  ['half of CONNECT', 'HTTP/1.1 200 OK\r\n'],
  ['the TLS handshake', 'HTTP/1.1 200 OK\r\n\r\n'],
])('a proxy that never answers %s ends the attempt, and its connection is closed', async (_name, said) => {
  const proxy = await silentProxy(said)
  const signal = new AbortController().signal
  const url = 'https://relay.example/t/x'
  await expect(openRelaySocket({ url, token, proxy: proxy.url, signal, handshakeMs: 300 })).rejects.toMatchObject(
    noConnection,
  )
  const [socket] = proxy.sockets
  if (!socket!.closed) await once(socket!, 'close')
  expect(proxy.sockets).toHaveLength(1)
  proxy.close()
})

test('a stop ends an attempt that waits for a proxy, and its connection is closed', async () => {
  const proxy = await silentProxy('')
  const stop = new AbortController()
  const url = 'https://relay.example/t/x'
  const opening = openRelaySocket({ url, token, proxy: proxy.url, signal: stop.signal })
  const refused = expect(opening).rejects.toMatchObject(noConnection)
  await until('the proxy is asked', () => (proxy.sockets[0]?.bytesRead ?? 0) > 0)
  stop.abort()
  await refused
  const [socket] = proxy.sockets
  if (!socket!.closed) await once(socket!, 'close')
  proxy.close()
})
