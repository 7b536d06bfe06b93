import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ErrorBody } from '../wire/error-body.ts'
import { refuseMalformed } from './refuse-malformed.ts'

let begun: ServerResponse | undefined
const server = createServer((_request, response) => {
  begun = response
  response.writeHead(200, { 'content-length': 10 })
  response.write('half ')
})
refuseMalformed(server)

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Sends text on a connection of its own; returns all that comes back until the server closes. */
async function sent(words: string): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(words)
  return text(socket)
}

test.each([
  ['no HTTP', 'hello\r\n\r\n', 400, 'invalid_request'],
  ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n', 400, 'invalid_request'],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
    400,
    'invalid_request',
  ],
  ['long headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
])('%s is answered with a failure of the catalogue, and the connection closes', async (_what, words, status, code) => {
  const [head = '', body = ''] = (await sent(words)).split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(head).toContain('\r\nconnection: close')
  expect(head).toContain(`\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`)
  expect(ErrorBody.parse(JSON.parse(body)).error.code).toBe(code)
})

test('a response that has begun gets no second head', async () => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const [first] = (await once(socket, 'data')) as [Buffer]
  expect(begun?.headersSent).toBe(true)
  socket.write('hello\r\n\r\n')
  const rest = await text(socket)
  expect(`${first.toString()}${rest}`.match(/HTTP\/1\.1/g)).toHaveLength(1)
})
