import type { Clock } from '@svc/shared/kit/clock.ts'

/** The burst, in seconds of the rate. A larger one delays the requests of daemons that are connected. */
const BURST_SECONDS = 0.05
/** A daemon that is at most this early waits for its turn, which costs less than a refusal and another dial. */
const HOLD_MS = 2_000
/** Maximum delay that a refused daemon is told to wait. */
const LONGEST_MS = 60_000

/** An acceptance that is already counted and may be used after `waitMs`, or the seconds after which to retry. */
export type Slot = { waitMs: number } | { retryAfterSeconds: number }

/**
 * Limits how many tunnels a replica accepts per second. Refused daemons are given successive retry times, so that
 * thousands of daemons that lost their replica reconnect evenly.
 */
export function createAcceptBudget({ perSecond, clock }: { perSecond: number; clock: Pick<Clock, 'monotonic'> }) {
  const stepMs = 1000 / perSecond
  const burst = Math.max(1, perSecond * BURST_SECONDS)
  const debt = HOLD_MS / stepMs
  let tokens = burst // below 0 while daemons wait
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
