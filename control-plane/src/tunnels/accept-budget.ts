import type { Clock } from '@svc/shared/kit/clock.ts'

/** The burst, in seconds of the rate. */
const BURST_SECONDS = 0.2
/** The longest delay that a daemon is told. */
const LONGEST_MS = 60_000

/**
 * Limits how many tunnels a replica accepts per second. A daemon that is refused gets the next free second, one after the
 * other, so that thousands of daemons that lost their replica reconnect evenly.
 */
export function createAcceptBudget({ perSecond, clock }: { perSecond: number; clock: Pick<Clock, 'monotonic'> }) {
  const stepMs = 1000 / perSecond
  const burst = Math.max(1, perSecond * BURST_SECONDS)
  let tokens = burst
  let filledAt = clock.monotonic()
  let nextSlotAt = filledAt

  return {
    /** Takes one acceptance: 0, or the seconds after which to retry. */
    take: (): number => {
      const now = clock.monotonic()
      tokens = Math.min(burst, tokens + (now - filledAt) / stepMs)
      filledAt = now
      if (tokens >= 1) {
        tokens -= 1
        return 0
      }
      nextSlotAt = Math.min(Math.max(now, nextSlotAt) + stepMs, now + LONGEST_MS)
      return Math.max(1, Math.round((nextSlotAt - now) / 1000))
    },
  }
}

export type AcceptBudget = ReturnType<typeof createAcceptBudget>
