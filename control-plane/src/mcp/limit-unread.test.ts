import { ReadableStream } from 'node:stream/web'
import { expect, test } from 'vitest'
import { limitUnread, MAX_UNREAD_BYTES } from './limit-unread.ts'

const PART = new Uint8Array(4_096)

/** A stream that queues whatever it is given. */
function sourceOf() {
  let queue: { enqueue(part: Uint8Array): void; close(): void } | undefined
  let cancelled = false
  const source = new ReadableStream<Uint8Array>({
    start: (controller) => void (queue = controller),
    cancel: () => void (cancelled = true),
  })
  return { source, queue: queue!, isCancelled: () => cancelled }
}
const turn = () => new Promise(setImmediate)

test('a stream that is not read ends after what was queued', async () => {
  const { source, queue, isCancelled } = sourceOf()
  const { body, ended } = limitUnread(source)
  let given = 0
  for (; given < 1_000 && !ended.aborted; given += 1) {
    queue.enqueue(PART)
    await turn()
  }
  expect(given * PART.length).toBeLessThanOrEqual(MAX_UNREAD_BYTES + 2 * PART.length)
  expect(isCancelled()).toBe(true)
  let read = 0
  for await (const part of body) read += part.length
  expect(read).toBeGreaterThan(MAX_UNREAD_BYTES)
})

test('a stream that is read lasts as long as its source', async () => {
  const { source, queue } = sourceOf()
  const { body, ended } = limitUnread(source)
  const reader = body.getReader()
  for (let given = 0; given < 200; given += 1) {
    queue.enqueue(PART)
    expect(await reader.read()).toMatchObject({ done: false })
  }
  expect(ended.aborted).toBe(false)
  queue.close()
  expect(await reader.read()).toMatchObject({ done: true })
  expect(ended.aborted).toBe(true)
})

test('a reader that leaves ends the source', async () => {
  const { source, isCancelled } = sourceOf()
  const { body, ended } = limitUnread(source)
  await body.cancel()
  expect([ended.aborted, isCancelled()]).toEqual([true, true])
})
