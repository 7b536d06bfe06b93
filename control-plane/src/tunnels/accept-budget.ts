import type { Clock } from '@svc/shared/kit/clock.ts'

/** The burst, in seconds of the rate. */
const BURST_SECONDS = 0.2
/** Whoever is at most this early waits here for its turn. It costs less than a refusal and one more dial. */
const HOLD_MS = 2_000
/** The longest delay that a daemon is told. */
const LONGEST_MS = 60_000

/** An acceptance that counts from now and may be used after some milliseconds, or the seconds after which to retry. */
export type Slot = { waitMs: number } | { retryAfterSeconds: number }

/**
 * Limits how many tunnels a replica accepts per second. A daemon that is refused gets the next free second, one after the
 * other, so that thousands of daemons that lost their replica reconnect evenly.
 */
export function createAcceptBudget({ perSecond, clock }: { perSecond: number; clock: Pick<Clock, 'monotonic'> }) {
  const stepMs = 1000 / perSecond
  const burst = Math.max(1, perSecond * BURST_SECONDS)
  const debt = HOLD_MS / stepMs
  let tokens = burst // below 0 for those that wait
  let filledAt = clock.monotonic()
  let nextSlotAt = filledAt

  return {
    take: (): Slot => {
      const now = clock.monotonic()
      tokens = Math.min(burst, tokens + (now - filledAt) / stepMs)
      filledAt = now
      if (tokens >= 1 - debt) {
        tokens -= 1
        return { waitMs: Math.max(0, -tokens * stepMs) }
      }
      nextSlotAt = Math.min(Math.max(now + HOLD_MS, nextSlotAt) + stepMs, now + LONGEST_MS)
      return { retryAfterSeconds: Math.max(1, Math.round((nextSlotAt - now) / 1000)) }
    },
  }
}

export type AcceptBudget = ReturnType<typeof createAcceptBudget>
