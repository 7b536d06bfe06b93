import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { verifies } from '../../test/requirements.ts'
import { forgetTypeOfNoBody } from './empty-body.ts'

test.each([
  ['no body', { 'content-type': 'application/json' }, undefined],
  ['a body of a known length', { 'content-type': 'application/json', 'content-length': '2' }, 'application/json'],
  ['an empty body of a known length', { 'content-type': 'text/plain', 'content-length': '0' }, 'text/plain'],
  ['a body in chunks', { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' }, 'text/plain'],
])('of a request with %s the type is %j → %s', (_what, headers, type) => {
  verifies('http.type-without-body')
  forgetTypeOfNoBody({ headers })
  expect(headers['content-type']).toBe(type)
})

test('Node ends the stream of a request without a body before anybody can listen', async () => {
  const server = createServer({ optimizeEmptyRequests: true }, (request, response) => {
    response.end(String(request.readableEnded))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('DELETE / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n')
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  server.close()
  expect(Buffer.concat(chunks).toString()).toContain('true')
})
