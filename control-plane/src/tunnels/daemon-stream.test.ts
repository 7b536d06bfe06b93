import { expect, test } from 'vitest'
import { heldBytes } from '../../../test/support/cpu-time.ts'
import { playDaemon, someTurns } from '../../../test/support/played-daemon.ts'
import { streamFromDaemon } from './daemon-stream.ts'

const NOTHING: AsyncIterable<Buffer> = {
  async *[Symbol.asyncIterator]() {},
}
/** Frames of one byte that fit into the largest message. */
const FRAMES = Math.floor((256 * 1024) / 9)

test('a stream in frames of one byte holds about as much memory as it has bytes while its reader is busy', async () => {
  const daemon = playDaemon()
  const { signal } = new AbortController()
  const stream = streamFromDaemon(daemon.pool, { target: '/', headers: ['host', 'x'], body: NOTHING, signal })
  const first = stream.next()
  await someTurns()
  daemon.send(1, [`HTTP/1.1 200 OK\r\ncontent-length: ${1 + 2 * FRAMES + 2_000}\r\n\r\n!`])
  expect((await first).value?.toString()).toBe('!')

  const bytes = Array.from({ length: FRAMES }, () => Buffer.from('x'))
  const before = heldBytes()
  for (let count = 0; count < 2; count += 1) {
    daemon.send(1, bytes)
    await someTurns()
  }
  daemon.send(1, [Buffer.alloc(2_000, 'y')])
  expect(heldBytes() - before).toBeLessThan(2 * 1024 * 1024)
  let text = ''
  for await (const chunk of stream) text += chunk.toString()
  expect(text).toBe('x'.repeat(2 * FRAMES) + 'y'.repeat(2_000))
  daemon.close()
})
