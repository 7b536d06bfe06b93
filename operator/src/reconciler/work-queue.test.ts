import { expect, it } from 'vitest'
import { WorkQueue } from './work-queue.ts'

const queueOf = (...keys: [string, 'high' | 'low'][]) => {
  let now = 0
  const queue = new WorkQueue(() => now++)
  for (const [key, priority] of keys) queue.add(key, priority)
  return queue
}
const taken = async (queue: WorkQueue) => (await queue.take())?.key

it('hands out what somebody changed before what is looked at again', async () => {
  const queue = queueOf(['a', 'low'], ['b', 'high'], ['c', 'low'], ['d', 'high'])
  expect([await taken(queue), await taken(queue), await taken(queue), await taken(queue)]).toEqual(['b', 'd', 'a', 'c'])
})

it('keeps one entry per key, at its higher priority', async () => {
  const queue = queueOf(['a', 'low'], ['b', 'low'], ['b', 'high'], ['b', 'low'])
  expect(queue.depth).toBe(2)
  expect([await taken(queue), await taken(queue)]).toEqual(['b', 'a'])
})

it('never hands a key to two workers, and hands it out again when it was added meanwhile', async () => {
  const queue = queueOf(['a', 'high'])
  expect(await taken(queue)).toBe('a')
  queue.add('a', 'low')
  queue.add('b', 'low')
  expect(await taken(queue)).toBe('b')
  const next = taken(queue)
  queue.done('a')
  expect(await next).toBe('a')
})

it('wakes a worker that waits, and lets all of them go when it closes', async () => {
  const queue = queueOf()
  const [first, second] = [taken(queue), taken(queue)]
  queue.add('a', 'low')
  expect(await first).toBe('a')
  queue.close()
  expect(await second).toBeUndefined()
  expect(await taken(queue)).toBeUndefined()
})

it('says how long a key has waited', async () => {
  const queue = queueOf(['a', 'high'], ['b', 'high'])
  expect((await queue.take())?.waitedMs).toBe(2)
})
