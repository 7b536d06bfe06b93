import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { listen, type Door } from '../../control-plane/src/http/listen.ts'

const servers: Server[] = []
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

const answer: Door['request'] = (_request, response) => void response.end('ok')
const host = '127.0.0.1'

/** Sends a request on a new connection to the server. */
async function ask(server: Server): Promise<Socket> {
  servers.push(server)
  const socket = connect((server.address() as AddressInfo).port, host)
  sockets.push(socket)
  await once(socket, 'connect')
  socket.resume()
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  return socket
}

/**
 * A connection that Node closes after ten seconds. It would close an answered connection of a door after 30 s even
 * without our limit, and one that waits for its answer never.
 */
async function askUsual(): Promise<Socket> {
  const server = createServer({ keepAliveTimeout: 10_000 }, answer).listen(0, host)
  await once(server, 'listening')
  const socket = await ask(server)
  await once(socket, 'data')
  return socket
}

test.each([
  ['after an answer', answer],
  ['while its request is not answered', () => {}],
])('a quiet connection is closed %s', async (_when, request) => {
  const usual = await askUsual()
  const quiet = await ask(await listen({ quietMs: 50, request }, { host, port: 0 }))
  // A server that closes a connection before it has read everything resets it.
  const closed = (name: string, socket: Socket) =>
    new Promise<string>((resolve) => socket.on('error', () => {}).once('close', () => resolve(name)))
  expect(await Promise.race([closed('usual', usual), closed('quiet', quiet)])).toBe('quiet')
})
