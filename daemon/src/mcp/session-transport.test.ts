import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { lostCall } from './lost-call.ts'
import { SessionTransport } from './session-transport.ts'

const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call' }) as const
const resultOf = (id: number) => ({ jsonrpc: '2.0', id, result: {} }) as const
const progress = { jsonrpc: '2.0', method: 'notifications/progress' } as const
const cancelled = (requestId: number) =>
  ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }) as const

let transport: SessionTransport
let heard: JSONRPCMessage[]
/** The messages of the next request; undefined for a GET of the stream of the session. */
let messages: JSONRPCMessage[] | undefined
let lastResponse: ServerResponse
const server = createServer((_request, response) => {
  lastResponse = response
  if (messages) transport.take(messages, response)
  else if (!transport.listen(response)) response.writeHead(409).end()
})
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  transport = new SessionTransport('the-session')
  heard = []
  Object.assign(transport, { onmessage: (message: JSONRPCMessage) => void heard.push(message) })
})

type Sent = { response: Promise<IncomingMessage>; leave(): void }

/** Sends messages; resolves when the transport has them. */
async function send(...sent: JSONRPCMessage[]): Promise<Sent> {
  messages = sent.length > 0 ? sent : undefined
  const outgoing = get({ port: (server.address() as AddressInfo).port, agent: false })
  const response = once(outgoing, 'response').then(([first]) => first as IncomingMessage)
  response.catch(() => {})
  await once(server, 'request')
  return { response, leave: () => outgoing.destroy() }
}
const eventsOf = async (response: IncomingMessage) =>
  [...(await text(response)).matchAll(/^event: message\ndata: (.*)\n\n/gm)].map(
    ([, data]) => JSON.parse(data!) as object,
  )

test('a result that comes at once is JSON, with the session in a header', async () => {
  const outgoing = await send(call(1))
  expect(transport.isInFlight(1)).toBe(true)
  await transport.send(resultOf(1))
  const response = await outgoing.response
  expect(response.headers).toMatchObject({ 'content-type': 'application/json', 'mcp-session-id': 'the-session' })
  expect(JSON.parse(await text(response))).toEqual(resultOf(1))
  expect([heard, transport.isInFlight(1)]).toEqual([[call(1)], false])
})

test('a result that takes its time comes in a stream whose head came before it', async () => {
  const response = await (await send(call(1))).response
  expect(response.headers['content-type']).toBe('text/event-stream')
  await transport.send(resultOf(1))
  expect(await eventsOf(response)).toEqual([resultOf(1)])
})

test('what belongs to a request goes before its result, and the results of a batch into one stream', async () => {
  const first = await send(call(1), call(2))
  const other = await send(call(3))
  await transport.send(progress, { relatedRequestId: 2 })
  await transport.send(resultOf(2))
  await transport.send(resultOf(3))
  await transport.send(resultOf(1))
  expect(await eventsOf(await first.response)).toEqual([progress, resultOf(2), resultOf(1)])
  expect(JSON.parse(await text(await other.response))).toEqual(resultOf(3))
})

test('the response to a cancelled request ends without a result', async () => {
  const outgoing = await send(call(1))
  const told = await send(cancelled(1))
  expect((await told.response).statusCode).toBe(202)
  expect(await eventsOf(await outgoing.response)).toEqual([])
  await transport.send(resultOf(1))
  expect(transport.isInFlight(1)).toBe(false)
})

test('a request stays in flight after its client has left, until it has its result', async () => {
  const outgoing = await send(call(1))
  outgoing.leave()
  await new Promise((resolve) => lastResponse.once('close', resolve))
  expect(transport.isInFlight(1)).toBe(true)
  await transport.send(resultOf(1))
  expect(transport.isInFlight(1)).toBe(false)
})

test('a session has one stream, which tells what belongs to no request and ends with the session', async () => {
  const response = await (await send()).response
  await transport.send(progress)
  expect((await (await send()).response).statusCode).toBe(409)
  let isClosed = false
  Object.assign(transport, { onclose: () => (isClosed = true) })
  await transport.close()
  expect([await eventsOf(response), isClosed]).toEqual([[progress], true])
})

test('requests without a result are reported as lost when the session ends', async () => {
  verifies('mcp.lost-call')
  const lost = (id: number) => {
    const { code, message } = lostCall()
    return { jsonrpc: '2.0', id, error: { code, message } }
  }
  const open = await send(call(1))
  await open.response
  const batch = await send(call(2), call(3), call(4))
  await send(cancelled(3))
  await transport.send(resultOf(2))
  const fresh = await send(call(5))
  await transport.close()
  expect(await eventsOf(await open.response)).toEqual([lost(1)])
  expect(await eventsOf(await batch.response)).toEqual([resultOf(2), lost(4)])
  expect(JSON.parse(await text(await fresh.response))).toEqual(lost(5))
})
