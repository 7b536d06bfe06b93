import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { sendAnswer } from '../../control-plane/src/mcp/send-answer.ts'

const EVENT = 'event: message\ndata: {}\n\n'
const headers = { 'content-type': 'text/event-stream' }
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** Starts a server that sends this answer, and returns the response that a client receives. */
async function answered(answer: () => Response): Promise<Response> {
  const app = Fastify()
  app.get('/', async (_request, reply) => sendAnswer(reply, answer()))
  await app.listen({ port: 0, host: '127.0.0.1' })
  closers.push(async () => app.close())
  return fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`)
}

test('a result that is there is sent whole', async () => {
  const got = await answered(() => new Response(EVENT, { headers }))
  expect([got.headers.get('content-length'), await got.text()]).toEqual([String(EVENT.length), EVENT])
})

test('an answer without a body keeps its status', async () => {
  const got = await answered(() => new Response(null, { status: 202 }))
  expect([got.status, await got.text()]).toEqual([202, ''])
})

test('a result that takes long shows the head of its response at once, and every event after it', async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const got = await answered(() => new Response(readable, { headers }))
  const reader = got.body!.pipeThrough(new TextDecoderStream()).getReader()

  expect((await reader.read()).value).toBe(': open\n\n')
  for (const at of [1, 2]) {
    await writer.write(Buffer.from(`data: ${at}\n\n`))
    expect((await reader.read()).value).toBe(`data: ${at}\n\n`)
  }
  await writer.close()
  expect((await reader.read()).done).toBe(true)
})

test('a stream that its client leaves is cancelled', async () => {
  const cancelled = new EventTarget()
  let say: (text: string) => void = () => {}
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      say = (text) => controller.enqueue(Buffer.from(text))
    },
    cancel: () => void cancelled.dispatchEvent(new Event('cancel')),
  })
  const got = await answered(() => new Response(stream, { headers }))
  const isCancelled = once(cancelled, 'cancel')
  await got.body!.cancel()
  const saying = setInterval(() => say(EVENT), 10)
  closers.push(async () => clearInterval(saying))
  await isCancelled
})
