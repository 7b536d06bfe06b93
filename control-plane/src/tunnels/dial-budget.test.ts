import { expect, it } from 'vitest'
import { createDialBudget } from './dial-budget.ts'

it('lets a daemon dial sixty times at once and then once a second, each by itself', () => {
  const time = { ms: 0 }
  const dials = createDialBudget({ monotonic: () => time.ms })
  for (let i = 0; i < 60; i += 1) {
    expect(dials.waitSeconds('one')).toBe(0)
    dials.count('one')
  }
  expect(dials.waitSeconds('one')).toBe(1)
  expect(dials.waitSeconds('other')).toBe(0)
  time.ms = 1_000
  expect(dials.waitSeconds('one')).toBe(0)
  dials.count('one')
  expect(dials.waitSeconds('one')).toBe(1)
  time.ms = 3_600_000
  for (let i = 0; i < 60; i += 1) dials.count('one')
  expect(dials.waitSeconds('one')).toBe(1)
})
