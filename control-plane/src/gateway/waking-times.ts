import type { Clock } from '@svc/shared/kit/clock.ts'

/** How long somebody has been waiting for each host that wakes, as this replica saw it. */
export type WakingTimes = {
  /** Somebody waits or has waited for it until now. Returns the milliseconds since the first of them. */
  waits(orgId: string): number
  /** The host is there. */
  came(orgId: string): void
}

// A page asks again within seconds. After this time without anybody who waits, the next one begins anew.
const FORGOTTEN_MS = 30_000

/** Remembers only those for whom somebody waits. */
export function createWakingTimes({ monotonic }: Pick<Clock, 'monotonic'>): WakingTimes {
  const times = new Map<string, { since: number; until: number }>()

  /** The entries are in the order of their last wait. */
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
