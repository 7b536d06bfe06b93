import { expect, test } from 'vitest'
import { createWakingTimes } from './waking-times.ts'

test('the time counts from the first who waits, until the host is there or nobody has waited for a while', () => {
  let now = 1000
  const times = createWakingTimes({ monotonic: () => now })
  expect(times.waits('a')).toBe(0)
  now += 2500
  expect([times.waits('a'), times.waits('b')]).toEqual([2500, 0])
  now += 29_000
  expect(times.waits('a')).toBe(31_500)
  times.came('a')
  expect(times.waits('a')).toBe(0)
  now += 2000
  expect(times.waits('b')).toBe(0)
})
