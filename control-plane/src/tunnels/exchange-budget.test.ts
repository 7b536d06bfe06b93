import { isFailure } from '@svc/shared/wire/errors.ts'
import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { createExchangeBudget, type Caller } from './exchange-budget.ts'

const failureOf = (call: () => unknown): unknown => {
  try {
    return call()
  } catch (error) {
    return isFailure(error) ? error.code : error
  }
}

type Budget = ReturnType<typeof createExchangeBudget>
const personOf = (name: string): Caller => ({ name, by: 'platform' })
const agentOf = (name: string): Caller => ({ name, by: 'agent' })

/** Enters until the budget refuses; returns the number of calls that it admitted. */
function enterAll(budget: Budget, caller: Caller): number {
  for (let calls = 0; ; calls += 1) if (failureOf(() => budget.enter('a', caller)) === 'relay_overloaded') return calls
}

test('an organization has as many calls as it may have, and no other organization has fewer for it', () => {
  const budget = createExchangeBudget({ maxCalls: 2 })
  const first = budget.enter('a', personOf('ada'))
  budget.enter('a', personOf('bob'))
  expect(failureOf(() => budget.enter('a', personOf('eve')))).toBe('relay_overloaded')
  budget.enter('b', personOf('eve'))
  first.leave()
  budget.enter('a', personOf('eve'))
  expect(failureOf(() => budget.enter('a', personOf('ada')))).toBe('relay_overloaded')
})

test('the calls of an organization hold as many bytes together as they may', () => {
  const budget = createExchangeBudget({ maxBytes: 100 })
  const [first, second] = [budget.enter('a', personOf('ada')), budget.enter('a', personOf('bob'))]
  const other = budget.enter('b', personOf('ada'))
  expect(first.hold(60)).toBe(true)
  expect(second.hold(40)).toBe(true)
  expect(second.hold(1)).toBe(false)
  expect(other.hold(100)).toBe(true)
  first.leave()
  expect(second.hold(1)).toBe(true)
  second.leave()
  expect(budget.enter('a', personOf('bob')).hold(100)).toBe(true)
})

test('nobody has more calls than are left for all others, agents and people alike', () => {
  verifies('relay.person-share')
  for (const callerOf of [agentOf, personOf]) {
    const budget = createExchangeBudget({ maxCalls: 160 })
    const all = callerOf === agentOf ? 120 : 160
    expect(enterAll(budget, callerOf('ada'))).toBe(all / 2)
    expect(enterAll(budget, callerOf('bob'))).toBe(all / 4)
    budget.enter('a', callerOf('eve'))
  }
})

test('nobody holds more bytes than are left for all others, in however many calls', () => {
  verifies('relay.person-share')
  const budget = createExchangeBudget({ maxBytes: 400 })
  const held = (caller: Caller) => {
    let bytes = 0
    while (budget.enter('a', caller).hold(10)) bytes += 10
    return bytes
  }
  expect(held(agentOf('ada'))).toBe(150)
  expect(budget.enter('a', agentOf('bob')).hold(150)).toBe(true)
})

test('agents that use all they can leave room for entries and for the work of the platform', () => {
  verifies('relay.person-share')
  const budget = createExchangeBudget({ maxCalls: 40, maxBytes: 400 })
  const agents = Array.from({ length: 30 }, (_, nth) => budget.enter('a', agentOf(`usr_${nth}`)))
  for (const agent of agents) expect(agent.hold(10)).toBe(true)
  expect(failureOf(() => budget.enter('a', agentOf('late')))).toBe('relay_overloaded')
  expect(agents[0]!.hold(1)).toBe(false)
  // The same people, and a task of the platform.
  expect(budget.enter('a', personOf('usr_0')).hold(20)).toBe(true)
  expect(budget.enter('a', { name: 'idle-sleep', by: 'platform' }).hold(20)).toBe(true)
})
