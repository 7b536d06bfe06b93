import { isFailure } from '@svc/shared/wire/errors.ts'
import { expect, test } from 'vitest'
import { createExchangeBudget } from './exchange-budget.ts'

const failureOf = (call: () => unknown): unknown => {
  try {
    return call()
  } catch (error) {
    return isFailure(error) ? error.code : error
  }
}

test('an organization has as many calls as it may have, and no other organization has fewer for it', () => {
  const budget = createExchangeBudget({ maxCalls: 2 })
  const first = budget.enter('a')
  budget.enter('a')
  expect(failureOf(() => budget.enter('a'))).toBe('relay_overloaded')
  budget.enter('b')
  first.leave()
  budget.enter('a')
  expect(failureOf(() => budget.enter('a'))).toBe('relay_overloaded')
})

test('the calls of an organization hold as many bytes together as they may', () => {
  const budget = createExchangeBudget({ maxBytes: 100 })
  const [first, second, other] = [budget.enter('a'), budget.enter('a'), budget.enter('b')]
  first.hold(60)
  second.hold(40)
  expect(failureOf(() => second.hold(1))).toBe('relay_overloaded')
  other.hold(100)
  first.leave()
  second.hold(60)
  expect(failureOf(() => second.hold(1))).toBe('relay_overloaded')
  second.leave()
  budget.enter('a').hold(100)
})
