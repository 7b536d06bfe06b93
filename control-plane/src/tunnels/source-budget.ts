import type { Clock } from '@svc/shared/kit/clock.ts'
import { clientBucket } from '../http/rate-limit.ts'
import { createAcceptBudget, type AcceptBudget, type Slot } from './accept-budget.ts'

const MAX_SOURCES = 10_000

/**
 * An accept budget for each source address, IPv6 addresses by their /64. It is spent on looking a key up, before
 * anybody knows whether the key is right, so one source can neither flood the database nor use up the budget of
 * another.
 */
export function createSourceBudget({ perSecond, clock }: { perSecond: number; clock: Pick<Clock, 'monotonic'> }) {
  const budgets = new Map<string, AcceptBudget>()

  return {
    take: (address: string): Slot => {
      const source = clientBucket(address)
      const budget = budgets.get(source) ?? createAcceptBudget({ perSecond, clock })
      // The map is ordered by use, so the source that has been quiet for longest is dropped first.
      budgets.delete(source)
      budgets.set(source, budget)
      if (budgets.size > MAX_SOURCES) budgets.delete(budgets.keys().next().value!)
      return budget.take()
    },
  }
}

export type SourceBudget = ReturnType<typeof createSourceBudget>
