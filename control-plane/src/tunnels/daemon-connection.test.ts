import { resetCodes, frameTypes, decodeFrames } from '@svc/shared/mux/frame.ts'
import { expect, test, vi } from 'vitest'
import { heldBytes } from '../../../test/support/cpu-time.ts'
import { STALL_MS } from '../../../test/support/fuzz.ts'
import { longestTurnMs } from '../../../test/support/longest-turn.ts'
import { slowness } from '../../../test/support/machine-speed.ts'
import { playDaemon, someTurns } from '../../../test/support/played-daemon.ts'
import { relayLimits } from './tunnel-handshake.ts'

const handler = () => ({
  head: () => {},
  data: () => true,
  drained: vi.fn<() => void>(),
  complete: () => {},
  failed: () => {},
})
const upload = { method: 'PUT', target: '/', headers: ['host', 'x'], body: 'chunked' } as const

/** An upload in chunks of one byte, up to the point at which its writer has to wait. */
function pausedUpload() {
  const daemon = playDaemon()
  const events = handler()
  const connection = daemon.pool.send(upload, events)
  const one = Buffer.from('x')
  let written = 1
  while (connection.write(one)) written += 1
  return { daemon, connection, events, written }
}

/** The bytes of a body that was sent as chunks of one byte `x`, behind the head of its request. */
const chunksOf = (text: string) => text.slice(text.indexOf('\r\n\r\n') + 4)

test('an upload in chunks of one byte holds about as much memory as it has bytes', () => {
  pausedUpload().daemon.close() // what a first upload loads and compiles
  const before = heldBytes()
  const uploads = Array.from({ length: 4 }, pausedUpload)
  expect(heldBytes() - before).toBeLessThan(uploads.length * 768 * 1024)
  for (const { daemon } of uploads) daemon.close()
})

test('an upload in chunks of one byte leaves in few frames, in order and without a stall', async () => {
  let longest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && longest > STALL_MS; attempt += 1) {
    const { daemon, connection, events, written } = pausedUpload()
    connection.endBody()
    await someTurns()
    longest = Math.min(
      longest,
      await longestTurnMs(async () => {
        daemon.grant(1, 1024 * 1024)
        while (events.drained.mock.calls.length === 0) await new Promise(setImmediate)
      }),
    )
    const payloads = daemon.payloads()
    expect(chunksOf(Buffer.concat(payloads).toString('latin1'))).toBe(`${'1\r\nx\r\n'.repeat(written)}0\r\n\r\n`)
    expect(payloads.length).toBeLessThan(64)
    daemon.close()
    if (longest <= STALL_MS * slowness()) return
  }
  expect(longest).toBeLessThan(STALL_MS)
})

test('a small body leaves in the same message as its head', async () => {
  const daemon = playDaemon()
  const connection = daemon.pool.send(upload, handler())
  connection.write(Buffer.from('hello'))
  connection.endBody()
  await new Promise(setImmediate)
  expect(daemon.messages.length).toBe(1)
  expect(chunksOf(Buffer.concat(daemon.payloads()).toString('latin1'))).toBe('5\r\nhello\r\n0\r\n\r\n')
  daemon.close()
})

test('an aborted upload sends nothing of what waits', async () => {
  const { daemon, connection } = pausedUpload()
  await someTurns()
  connection.abort()
  daemon.grant(1, 1024 * 1024)
  await someTurns()
  expect(daemon.payloads().reduce((sum, { length }) => sum + length, 0)).toBe(relayLimits.initialWindow)
  const resets: number[] = []
  for (const message of daemon.messages)
    decodeFrames(message, (type, _stream, payload) => void (type === frameTypes.reset && resets.push(payload[0]!)))
  expect(resets).toEqual([resetCodes.broken])
  daemon.close()
})
