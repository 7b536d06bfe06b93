import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import Fastify from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createChangeStream } from './change-stream.ts'
import { eventsRoutes } from './events.routes.ts'
import { createOpenStreams } from './open-streams.ts'

const LONG_PATH = `${'folder/'.repeat(100)}note.md`

let app: ReturnType<typeof Fastify>
let changes: ReturnType<typeof createChangeStream>
let streams: ReturnType<typeof createOpenStreams>
const readers: Socket[] = []

beforeEach(async () => {
  changes = createChangeStream()
  streams = createOpenStreams()
  app = Fastify()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  const registry = { find: () => ({}) } as never
  await app.register(eventsRoutes({ registry, changesOf: () => changes, streams }))
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(async () => {
  vi.useRealTimers()
  for (const reader of readers.splice(0)) reader.destroy()
  await app.close()
})

const publish = () => changes.publish({ kind: 'changed', what: 'note', path: LONG_PATH, origin: 'outside' })

/** The response of a reader that reads nothing, with unsent bytes. */
async function stalled(): Promise<ServerResponse> {
  const asked = once(app.server, 'request')
  const reader = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  readers.push(reader.pause())
  reader.write('GET /api/vaults/notes/events HTTP/1.1\r\nhost: localhost\r\n\r\n')
  const response = (await asked)[1] as ServerResponse
  while (!response.headersSent) await setImmediate()
  // What the connection takes at once depends on the system; the rest stays in the response.
  while (response.writableLength < 10_000) {
    for (let count = 0; count < 100; count++) publish()
    await setImmediate()
  }
  expect(response.destroyed).toBe(false)
  return response
}

test('changes after the end of all streams are not sent to a reader that has stalled, which is disconnected', async () => {
  const response = await stalled()
  const closed = once(response, 'close')
  streams.endAll()
  expect(response.writableFinished).toBe(false)
  const unsent = response.writableLength
  for (let count = 0; count < 3; count++) {
    publish()
    await setImmediate()
  }
  expect(response.writableLength).toBe(unsent)
  await closed
})

test('no beat is sent to a reader that has stalled after its vault was closed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const response = await stalled()
  const closed = once(response, 'close')
  changes.end()
  expect(response.writableEnded).toBe(true)
  for (let count = 0; count < 3; count++) {
    vi.advanceTimersByTime(60_000)
    await setImmediate()
  }
  await closed
  expect(vi.getTimerCount()).toBe(0)
})

test('a stream that is asked for after the end of all streams ends at once', async () => {
  streams.endAll()
  const { statusCode, payload } = await app.inject('/api/vaults/notes/events')
  expect(statusCode).toBe(200)
  expect(payload).toMatch(/^event: hello\nid: \S+\ndata: \{\}\n\n$/)
  publish()
})
