import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { afterEach, test } from 'vitest'
import { listen, type Door } from '../../control-plane/src/http/listen.ts'

const opened: { close(): void }[] = []
afterEach(() => opened.splice(0).forEach((server) => server.close()))

async function open(door: Door) {
  const server = await listen(door, { host: '127.0.0.1', port: 0 })
  opened.push(server)
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

/**
 * Less than 30 s, after which Node would close the first connection even without our limit. The second would stay open.
 */
const TEST_MS = 20_000

test.each([
  ['after an answer', (end: () => void) => end()],
  ['while its request is not answered', () => {}],
])(
  'a quiet connection is closed %s',
  async (_when, answer) => {
    const socket = await open({ quietMs: 50, request: (_request, response) => answer(() => response.end('ok')) })
    const closed = once(socket, 'close')
    socket.resume()
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await closed
  },
  TEST_MS,
)
