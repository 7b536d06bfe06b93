import { expect, test } from 'vitest'
import { loadOnce } from './load-once.ts'

test('calls share one load, also after it has ended', async () => {
  let loads = 0
  const loaded = loadOnce(async () => ({ number: ++loads }))
  const [first, second] = await Promise.all([loaded(), loaded()])
  expect(second).toBe(first)
  expect(await loaded()).toBe(first)
  expect(loads).toBe(1)
})

test('all who wait for a load see that it failed, and the next call loads again', async () => {
  let loads = 0
  const loaded = loadOnce(async () => {
    if (++loads === 1) throw new Error('too many open files')
    return loads
  })
  const outcomes = await Promise.allSettled([loaded(), loaded()])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await loaded()).toBe(2)
  expect(await loaded()).toBe(2)
})
