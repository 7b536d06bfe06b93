import { expect, test } from 'vitest'
import { playDaemon, someTurns } from '../../../test/support/played-daemon.ts'
import { createExchange } from './daemon-exchange.ts'
import { streamFromDaemon } from './daemon-stream.ts'
import { createExchangeBudget } from './exchange-budget.ts'

const NOTHING: AsyncIterable<Buffer> = {
  async *[Symbol.asyncIterator]() {},
}

/** A stream whose response of this many bytes has sent its first five. */
async function firstOf(bytes: number) {
  const daemon = playDaemon()
  const abort = new AbortController()
  const { signal } = abort
  const stream = streamFromDaemon(daemon.pool, { target: '/', headers: ['host', 'x'], body: NOTHING, signal })
  const first = stream.next()
  await someTurns()
  daemon.send(1, [`HTTP/1.1 200 OK\r\ncontent-length: ${bytes}\r\n\r\nfirst`])
  expect((await first).value?.toString()).toBe('first')
  return { daemon, abort, stream }
}

test('an abort after the response leaves the connection to the request that has it now', async () => {
  const { daemon, abort, stream } = await firstOf(5)

  const exchange = createExchange(createExchangeBudget({}))
  const call = { method: 'GET', target: '/', headers: ['host', 'x'], text: '' }
  const second = exchange({ orgId: 'org', caller: { name: 'ada', by: 'platform' }, pool: daemon.pool }, call)
  await someTurns()
  abort.abort()
  daemon.send(1, ['HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecond'])
  expect(await second).toEqual({ status: 200, text: 'second' })
  expect(await stream.next()).toEqual({ done: true, value: undefined })
  daemon.close()
})

test('an abort before the end of the response ends the request and its connection', async () => {
  const { daemon, abort, stream } = await firstOf(9)
  expect(daemon.tunnel.streamCount).toBe(1)
  abort.abort(new Error('nobody waits'))
  await expect(stream.next()).rejects.toThrow('nobody waits')
  expect(daemon.tunnel.streamCount).toBe(0)
  daemon.close()
})
