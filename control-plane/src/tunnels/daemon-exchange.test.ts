import { expect, test } from 'vitest'
import { heldBytes } from '../../../test/support/cpu-time.ts'
import { STALL_MS } from '../../../test/support/fuzz.ts'
import { longestTurnMs } from '../../../test/support/longest-turn.ts'
import { slowness } from '../../../test/support/machine-speed.ts'
import { playDaemon, someTurns } from '../../../test/support/played-daemon.ts'
import { createDaemonClient } from './daemon-client.ts'
import { createExchange } from './daemon-exchange.ts'
import { createExchangeBudget } from './exchange-budget.ts'

const MB = 1024 * 1024
const HEAD = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
const call = { method: 'GET', target: '/', headers: ['host', 'x'], text: '' }

function setUp(limits: Parameters<typeof createExchangeBudget>[0] = {}) {
  const daemon = playDaemon()
  const exchange = createExchange(createExchangeBudget(limits))
  return {
    daemon,
    exchange,
    callee: { orgId: 'org', caller: { name: 'ada', by: 'platform' as const }, pool: daemon.pool },
  }
}

type Played = ReturnType<typeof playDaemon>

/** Answers with many bytes, in one chunk for each. */
async function answerInBytes(daemon: Played, stream: number, bytes: number): Promise<void> {
  const message = Buffer.from('1\r\nx\r\n'.repeat(10_000))
  for (let left = bytes; left > 0; left -= 10_000) {
    daemon.send(stream, [message.subarray(0, 6 * Math.min(left, 10_000))])
    await new Promise(setImmediate)
  }
}

test('an answer in chunks of one byte holds about as much memory as it has bytes, and ends without a stall', async () => {
  let longest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const { daemon, exchange, callee } = setUp()
    const answering = exchange(callee, call)
    await someTurns()
    daemon.send(1, [HEAD])
    const before = heldBytes()
    await answerInBytes(daemon, 1, MB)
    expect(heldBytes() - before).toBeLessThan(4 * MB)
    longest = Math.min(longest, await longestTurnMs(() => daemon.send(1, ['0\r\n\r\n'])))
    expect(await answering).toEqual({ status: 200, text: 'x'.repeat(MB) })
    daemon.close()
    if (longest <= STALL_MS * slowness()) return
  }
  expect(longest).toBeLessThan(STALL_MS)
})

test('an answer is as large as its caller allows', async () => {
  const { daemon, exchange, callee } = setUp()
  const allowed = exchange(callee, { ...call, maxBytes: 10 })
  // Expected at once: it may reject before the other one is answered.
  const refused = expect(exchange(callee, { ...call, maxBytes: 9 })).rejects.toMatchObject({
    code: 'daemon_unreachable',
    details: { reason: 'answer_too_large' },
  })
  await someTurns()
  for (const stream of [1, 2]) daemon.send(stream, ['HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n0123456789'])
  expect((await allowed).text).toBe('0123456789')
  await refused
  daemon.close()
})

test('a list of vaults has two megabytes at most', async () => {
  const { daemon, exchange } = setUp()
  const client = createDaemonClient({
    sign: async () => ({ text: 'assertion', expiresAt: new Date() }),
    findTunnel: async () => ({ daemonId: 'daemon', tunnel: daemon.tunnel, pool: daemon.pool }),
    exchange,
  })
  const listing = client('org').listVaults({ user: 'usr' })
  await someTurns()
  daemon.send(1, [`HTTP/1.1 200 OK\r\ncontent-length: ${2 * MB + 1}\r\n\r\n`])
  const piece = Buffer.alloc(32 * 1024, ' ')
  const sending = Promise.all(Array.from({ length: 65 }, () => daemon.send(1, [piece])))
  await expect(listing).rejects.toMatchObject({ code: 'daemon_unreachable', details: { reason: 'answer_too_large' } })
  await sending
  daemon.close()
})

test('the calls of an organization hold a limited number of bytes, and give them back', async () => {
  const { daemon, exchange, callee } = setUp({ maxBytes: 2_000 })
  const answerOf = (bytes: number) => `HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n${'x'.repeat(bytes)}`
  const first = exchange(callee, call)
  const second = exchange({ ...callee, caller: { name: 'bob', by: 'agent' } }, call)
  await someTurns()
  daemon.send(1, [answerOf(899)])
  daemon.send(2, [answerOf(602)])
  // The daemon has answered, so the change that was asked for may be made: the call must not look unsent.
  await expect(second).rejects.toMatchObject({
    code: 'daemon_unreachable',
    details: { reason: 'no_room_for_answer' },
  })
  daemon.send(1, ['x'])
  expect((await first).text.length).toBe(900)

  await expect(exchange(callee, { ...call, text: 'x'.repeat(2_001) })).rejects.toMatchObject({
    code: 'relay_overloaded',
  })
  const third = exchange({ ...callee, orgId: 'org' }, call)
  await someTurns()
  daemon.send(1, [answerOf(900)])
  expect((await third).text.length).toBe(900)
  daemon.close()
})

test('a call that was aborted or could not start gives its place back', async () => {
  const { daemon, exchange, callee } = setUp({ maxCalls: 1 })
  const abort = new AbortController()
  const aborted = exchange(callee, { ...call, signal: abort.signal })
  await expect(exchange(callee, call)).rejects.toMatchObject({ code: 'relay_overloaded' })
  abort.abort()
  await expect(aborted).rejects.toMatchObject({ code: 'daemon_timeout' })
  await expect(exchange(callee, { ...call, headers: ['host', 'a\nb'] })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  const last = exchange(callee, call)
  daemon.close()
  await expect(last).rejects.toMatchObject({ code: 'daemon_unreachable' })
})
