import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { createAcceptBudget } from './accept-budget.ts'

function setUp(perSecond: number) {
  let now = 0
  const budget = createAcceptBudget({ perSecond, clock: { monotonic: () => now } })
  const take = (count: number) => {
    const slots = Array.from({ length: count }, () => budget.take())
    return {
      waits: slots.flatMap((slot) => ('waitMs' in slot ? [slot.waitMs] : [])),
      refusals: slots.flatMap((slot) => ('retryAfterSeconds' in slot ? [slot.retryAfterSeconds] : [])),
    }
  }
  return { take, pass: (ms: number) => void (now += ms) }
}

test('accepts a burst at once, holds the next two seconds of its rate and gives all others a second of their own', () => {
  verifies('relay.accept-budget')
  const { waits, refusals } = setUp(100).take(1_205)
  expect(waits.filter((ms) => ms === 0)).toHaveLength(5)
  expect(waits.slice(5)).toEqual(Array.from({ length: 200 }, (_, nth) => (nth + 1) * 10))

  const bySecond = Map.groupBy(refusals, (seconds) => seconds)
  expect([...bySecond.keys()]).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  for (const [second, come] of bySecond) expect(come.length, `second ${second}`).toBeLessThanOrEqual(100)
})

test('accepts again at its rate as time goes by, and no more than a twentieth of a second of it at once', () => {
  const { take, pass } = setUp(40)
  expect(take(100).waits).toEqual([0, 0, ...Array.from({ length: 80 }, (_, nth) => (nth + 1) * 25)])
  pass(25)
  expect(take(50).waits).toEqual([2_000])
  pass(2_000)
  expect(take(1).waits).toEqual([25])
  pass(60_000)
  expect(take(3).waits).toEqual([0, 0, 25])
})

test('who comes back when it was told to is not refused again', () => {
  const { take, pass } = setUp(100)
  const { refusals } = take(1_020)
  for (let second = 1; second <= Math.max(...refusals); second += 1) {
    pass(1_000)
    expect(take(refusals.filter((told) => told === second).length).refusals, `second ${second}`).toEqual([])
  }
})

test('sends nobody away for longer than a minute', () => {
  expect(Math.max(...setUp(1).take(500).refusals)).toBe(60)
})
