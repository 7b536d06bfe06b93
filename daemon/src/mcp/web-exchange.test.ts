import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendWebResponse, sessionRequestOf, webRequestOf } from './web-exchange.ts'

let answer: (request: IncomingMessage) => Response
const server = createServer((request, response) => void sendWebResponse(answer(request), response))
const call = async (path = '/') => {
  const outgoing = get({ port: (server.address() as AddressInfo).port, path, headers: { 'x-one': ['a', 'b'] } })
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  return response
}
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => server.close())

test('a body is sent whole, also where the client reads slowly', async () => {
  const chunk = new Uint8Array(256 * 1024).fill(97)
  let left = 40
  const body = new ReadableStream({
    pull: (controller) => (left-- > 0 ? controller.enqueue(chunk) : controller.close()),
  })
  answer = () => new Response(body, { status: 201, headers: { 'x-kind': 'large' } })
  const response = await call()
  expect([response.statusCode, response.headers['x-kind']]).toEqual([201, 'large'])
  expect((await text(response)).length).toBe(40 * chunk.length)
})

test('a stream that says nothing yet shows its head, and ends with its client', async () => {
  const cancelled = Promise.withResolvers<void>()
  const body = new ReadableStream({ cancel: () => cancelled.resolve() })
  answer = () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const response = await call()
  expect(response.headers['content-type']).toBe('text/event-stream')
  response.destroy()
  await cancelled.promise
})

test('a body that fails in the middle ends the connection, so that no client takes it for whole', async () => {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('half')),
    pull: (controller) => controller.error(new Error('broken')),
  })
  answer = () => new Response(body)
  const failure = call().then(text)
  await expect(failure).rejects.toThrow()
})

test('a response without a body has none', async () => {
  answer = () => new Response(null, { status: 202 })
  const response = await call()
  expect([response.statusCode, await text(response)]).toEqual([202, ''])
})

test('both forms of a request have its method and headers', async () => {
  const seen: (string | null)[] = []
  answer = (request) => {
    for (const one of [sessionRequestOf(request), webRequestOf(request, AbortSignal.abort())])
      seen.push(
        one.method,
        one.headers.get('x-one'),
        one.headers.get('x-two'),
        Object.fromEntries(one.headers.entries())['x-one']!,
      )
    return new Response(null)
  }
  await call().then(text)
  expect(seen).toEqual(['GET', 'a, b', null, 'a, b', 'GET', 'a, b', null, 'a, b'])
})
