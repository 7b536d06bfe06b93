import type { Clock } from '@svc/shared/kit/clock.ts'

const RECENT_MS = 15_000
const MOST_KNOWN = 10_000

/** Remembers for 15 seconds which organizations lost a tunnel: their daemon will probably reconnect. */
export function createRecentDepartures(clock: Pick<Clock, 'monotonic'>) {
  const lastSeen = new Map<string, number>()

  return {
    note: (orgId: string): void => {
      if (lastSeen.size > MOST_KNOWN) lastSeen.clear()
      lastSeen.set(orgId, clock.monotonic())
    },
    isRecent: (orgId: string): boolean =>
      clock.monotonic() - (lastSeen.get(orgId) ?? Number.NEGATIVE_INFINITY) < RECENT_MS,
  }
}

export type RecentDepartures = ReturnType<typeof createRecentDepartures>
