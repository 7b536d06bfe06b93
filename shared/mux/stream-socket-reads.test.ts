import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { heldBytes } from '../../test/support/cpu-time.ts'
import { leastLongestTurnMs } from '../../test/support/longest-turn.ts'
import { STALL_MS } from '../../test/support/fuzz.ts'
import { openStreamSocket } from '../../test/support/stream-socket.ts'

const MEGABYTE = 1024 * 1024

/** A socket at which a megabyte arrived in frames of one byte, in several messages, and nobody read. */
async function unreadSocket() {
  const opened = openStreamSocket(MEGABYTE)
  for (let count = 0; count < MEGABYTE; count += 1) {
    opened.stream.receiveData(Buffer.from([count % 251]))
    if (count % 10_000 === 0) await setImmediate()
  }
  return opened
}

test('a megabyte in frames of one byte takes about its size while nobody reads it', async () => {
  ;(await unreadSocket()).socket.destroy() // what a first one loads and compiles
  const before = heldBytes()
  const { socket } = await unreadSocket()
  expect(heldBytes() - before).toBeLessThan(4 * MEGABYTE)
  socket.destroy()
})

test('and is read without holding the event loop', async () => {
  const turn = await leastLongestTurnMs(async () => {
    const { socket, stream } = await unreadSocket()
    stream.receiveEnd()
    let read = 0
    for await (const chunk of socket) for (const byte of chunk as Buffer) if (byte === read % 251) read += 1
    expect(read).toBe(MEGABYTE)
  })
  expect(turn).toBeLessThan(STALL_MS)
})

const steps = fc.array(
  fc.oneof(
    fc.record({ arrives: fc.constantFrom(1, 2, 1023, 1024, 5_000) }),
    fc.record({ reads: fc.constantFrom(undefined, 0, 1, 3, 1_000, 6_000) }),
  ),
  { maxLength: 60 },
)

test('every byte is read once and in order, however it arrives and is read, and gives credit once', () => {
  fc.assert(
    fc.property(steps, (run) => {
      const { socket, stream, consumed } = openStreamSocket(MEGABYTE)
      const waiting: number[] = []
      let next = 0
      let read = 0
      const take = (size?: number) => {
        const chunk = socket.read(size) as Buffer | null
        if (size === undefined || size === 0) expect(chunk?.length ?? 0).toBeLessThanOrEqual(waiting.length)
        else expect(chunk?.length ?? 0).toBe(size <= waiting.length ? size : 0)
        expect([...(chunk ?? [])]).toEqual(waiting.splice(0, chunk?.length ?? 0))
        read += chunk?.length ?? 0
      }
      for (const step of run) {
        if ('arrives' in step) {
          const chunk = Buffer.from(Array.from({ length: step.arrives }, () => (next = (next + 1) % 251)))
          stream.receiveData(chunk)
          waiting.push(...chunk)
        } else take(step.reads)
      }
      while (waiting.length > 0) take()
      expect(socket.read()).toBe(null)
      expect(consumed()).toBe(read)
      socket.destroy()
    }),
  )
})
