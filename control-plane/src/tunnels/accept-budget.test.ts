import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { createAcceptBudget } from './accept-budget.ts'

test('gives everybody who is too early a second of their own, so that they come back evenly', () => {
  verifies('relay.accept-budget')
  let now = 0
  const budget = createAcceptBudget({ perSecond: 100, clock: { monotonic: () => now } })
  const waits = Array.from({ length: 1_020 }, () => budget.take())

  expect(waits.filter((seconds) => seconds === 0)).toHaveLength(20)
  const bySecond = Map.groupBy(
    waits.filter((seconds) => seconds > 0),
    (seconds) => seconds,
  )
  expect([...bySecond.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  for (const [second, come] of bySecond) expect(come.length, `second ${second}`).toBeLessThanOrEqual(150)
})

test('accepts again at its rate as time goes by, and no more than a fifth of a second of it at once', () => {
  let now = 0
  const budget = createAcceptBudget({ perSecond: 10, clock: { monotonic: () => now } })
  const accepted = () => Array.from({ length: 50 }, () => budget.take()).filter((seconds) => seconds === 0).length
  expect(accepted()).toBe(2)
  now += 100
  expect(accepted()).toBe(1)
  now += 60_000
  expect(accepted()).toBe(2)
})

test('sends nobody away for longer than a minute', () => {
  const budget = createAcceptBudget({ perSecond: 1, clock: { monotonic: () => 0 } })
  expect(Math.max(...Array.from({ length: 500 }, () => budget.take()))).toBe(60)
})
