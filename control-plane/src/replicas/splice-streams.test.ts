import type { Duplex } from 'node:stream'
import { duplexPair } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { spliceStreams } from './splice-streams.ts'

/** Two ends whose middle is spliced. */
function ends(): [Duplex, Duplex] {
  const [left, middleLeft] = duplexPair()
  const [middleRight, right] = duplexPair()
  for (const end of [left, right]) end.on('error', () => {})
  spliceStreams(middleLeft, middleRight)
  return [left, right]
}
const closed = (stream: Duplex) => new Promise<void>((resolve) => stream.once('close', resolve))

test('carries bytes both ways, and each end on its own', async () => {
  const [left, right] = ends()
  const large = Buffer.alloc(1_000_000, 7)
  left.end(large)
  expect((await buffer(right)).equals(large)).toBe(true)
  right.end('answer')
  expect((await buffer(left)).toString()).toBe('answer')
})

test('lets what was sent before a clean close arrive', async () => {
  const [left, right] = ends()
  const large = Buffer.alloc(1_000_000, 7)
  right.resume()
  right.end()
  left.resume()
  const received = buffer(right)
  left.end(large)
  expect((await received).length).toBe(large.length)
})

test('carries a cancellation across', async () => {
  const middle = duplexPair()
  const other = duplexPair()
  spliceStreams(middle[0], other[0])
  middle[0].destroy(new Error('reset'))
  await closed(other[0])
  expect(other[0].destroyed).toBe(true)
})
