import type { Clock } from '@svc/shared/kit/clock.ts'
import { clientBucket, type Counters } from '../http/rate-limit.ts'

const WINDOW_MS = 60_000
const MAX_FAILURES = 10
const MAX_SOURCES = 10_000

/**
 * Counts wrong keys by source address, IPv6 addresses by their /64. Ten within a minute block the address for the rest of
 * that minute. Where replicas share counters, ten on all replicas together block it on each one from its next wrong key.
 */
export function createWrongKeyLimit(clock: Pick<Clock, 'monotonic'>, shared?: Counters) {
  const failures = new Map<string, { since: number; count: number }>()

  const current = (source: string) => {
    const found = failures.get(source)
    return found && clock.monotonic() - found.since < WINDOW_MS ? found : undefined
  }

  return {
    /** Seconds to wait before the source may try again; 0 when it may. */
    waitSeconds: (address: string): number => {
      const found = current(clientBucket(address))
      if (found === undefined || found.count < MAX_FAILURES) return 0
      return Math.max(1, Math.ceil((found.since + WINDOW_MS - clock.monotonic()) / 1000))
    },

    count: (address: string): void => {
      const source = clientBucket(address)
      void shared?.increment(`limit:wrong-key:${source}`, WINDOW_MS / 1000).then(({ count, leftMs }) => {
        const since = clock.monotonic() + leftMs - WINDOW_MS
        if (count >= MAX_FAILURES) failures.set(source, { since, count })
      })
      const found = current(source)
      if (found !== undefined) found.count += 1
      else {
        failures.delete(source)
        failures.set(source, { since: clock.monotonic(), count: 1 })
        // Drop the oldest entry, so that many addresses cannot displace one that was blocked just now.
        if (failures.size > MAX_SOURCES) failures.delete(failures.keys().next().value!)
      }
    },
  }
}
