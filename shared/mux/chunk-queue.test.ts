import fc from 'fast-check'
import { expect, test } from 'vitest'
import { heldBytes } from '../../test/support/cpu-time.ts'
import { ChunkQueue } from './chunk-queue.ts'

const steps = fc.array(
  fc.oneof(
    fc.record({ push: fc.constantFrom(0, 1, 2, 1023, 1024, 5_000, 20_000) }),
    fc.record({ take: fc.constantFrom(1, 3, 1_000, 70_000) }),
    fc.constant('clear' as const),
  ),
)

test('every byte leaves once and in order, however it is cut', () => {
  fc.assert(
    fc.property(steps, (run) => {
      const queue = new ChunkQueue()
      let next = 0
      const waiting: number[] = []
      for (const step of run) {
        if (step === 'clear') {
          queue.clear()
          waiting.length = 0
        } else if ('push' in step) {
          const chunk = Buffer.from(Array.from({ length: step.push }, () => (next = (next + 1) % 251)))
          queue.push(chunk)
          waiting.push(...chunk)
        } else {
          const taken = queue.take(step.take)
          if (waiting.length === 0) expect(taken).toBeUndefined()
          else expect(taken?.length).toBeGreaterThan(0)
          expect(taken?.length ?? 0).toBeLessThanOrEqual(step.take)
          expect([...(taken ?? [])]).toEqual(waiting.splice(0, taken?.length ?? 0))
        }
        expect(queue.isEmpty).toBe(waiting.length === 0)
      }
    }),
  )
})

test('a large chunk is not copied', () => {
  const queue = new ChunkQueue()
  const large = Buffer.alloc(1024)
  queue.push(Buffer.from('head'))
  queue.push(large)
  queue.push(Buffer.from('tail'))
  expect(queue.take()?.toString()).toBe('head')
  expect(queue.take()).toBe(large)
  expect(queue.take()?.toString()).toBe('tail')
})

test('chunks that were taken are not kept while others wait', () => {
  const queue = new ChunkQueue()
  for (let count = 0; count < 64; count += 1) queue.push(Buffer.allocUnsafeSlow(1024 * 1024))
  const before = heldBytes()
  for (let count = 0; count < 31; count += 1) queue.take()
  expect(before - heldBytes()).toBeGreaterThan(30 * 1024 * 1024)
  expect(queue.isEmpty).toBe(false)
})
