import { expect, it } from 'vitest'
import { keepable } from './keepable.ts'

it('copies a small view out of a large message', () => {
  const message = Buffer.alloc(64 * 1024, 'a')
  const kept = keepable(message.subarray(10, 20))
  message.fill('b')
  expect(kept.toString()).toBe('a'.repeat(10))
  expect(kept.buffer).not.toBe(message.buffer)
})

it('keeps a view of most of its message as it is', () => {
  const message = Buffer.alloc(64 * 1024, 'a')
  expect(keepable(message.subarray(8)).buffer).toBe(message.buffer)
})
