import { expect, test } from 'vitest'
import { createWorkMemories, WorkMemory } from './work-memory.ts'

test('arrays do not overlap, and one for which there is no room has memory of its own', () => {
  const memory = new WorkMemory(64)
  const [bytes, integers, floats] = [memory.bytes(5), memory.integers(4), memory.floats(20)]
  bytes.fill(1)
  integers.fill(2)
  floats.fill(3)
  expect([...bytes]).toEqual([1, 1, 1, 1, 1])
  expect([...integers]).toEqual([2, 2, 2, 2])
  expect(integers.buffer).toBe(bytes.buffer)
  expect(floats.buffer).not.toBe(bytes.buffer)
})

test('searches one after the other use the same memory, once it is large enough', () => {
  const memories = createWorkMemories()
  const first = memories.borrow()
  first.bytes(300_000)
  memories.giveBack(first)

  const second = memories.borrow()
  expect(second).not.toBe(first)
  second.bytes(300_000)
  memories.giveBack(second)
  expect(memories.borrow()).toBe(second)
})

test('searches at the same time have memory of their own', () => {
  const memories = createWorkMemories()
  memories.giveBack(memories.borrow())
  expect(memories.borrow()).not.toBe(memories.borrow())
})

test('a search that is not over keeps its memory', () => {
  const memories = createWorkMemories()
  const late = memories.borrow()
  expect(memories.borrow()).not.toBe(late)
})

test('memory beyond a limit is not kept', () => {
  const memories = createWorkMemories()
  const large = memories.borrow()
  large.bytes(100 * 1024 ** 2)
  memories.giveBack(large)
  expect(memories.borrow().size).toBeLessThan(10 * 1024 ** 2)
})
