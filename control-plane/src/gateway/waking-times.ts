import type { Clock } from '@svc/shared/kit/clock.ts'

/** How long somebody has been waiting for each host that wakes, as this replica saw it. */
export type WakingTimes = {
  /** Records that somebody waits for the host now. Returns the milliseconds since people began to wait. */
  waits(orgId: string): number
  /** Records that the host is reachable. */
  came(orgId: string): void
}

// A waiting page repeats its request within seconds. When nobody has waited for this long, the next wait starts at
// zero.
const FORGOTTEN_MS = 30_000

/** Stores only hosts for which somebody waits. */
export function createWakingTimes({ monotonic }: Pick<Clock, 'monotonic'>): WakingTimes {
  const times = new Map<string, { since: number; until: number }>()

  /** The map is ordered by the last wait, so the first recent entry ends the search. */
  function forget(now: number): void {
    for (const [orgId, { until }] of times) {
      if (now - until < FORGOTTEN_MS) return
      times.delete(orgId)
    }
  }

  return {
    waits(orgId) {
      const now = monotonic()
      forget(now)
      const since = times.get(orgId)?.since ?? now
      times.delete(orgId)
      times.set(orgId, { since, until: now })
      return now - since
    },
    came: (orgId) => void times.delete(orgId),
  }
}
