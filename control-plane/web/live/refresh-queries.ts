import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { systemClock } from '@svc/shared/kit/clock.ts'

// The response to a request of this age may never come, for example after a change of the network.
const LOST_AFTER_MS = 60_000

type Refresh = { since: number; isStale: boolean }

/**
 * Reads the queries below a key again after a change. A change during a read is read when that has ended: if it replaced
 * the read, one that takes longer than the changes are apart would never end.
 */
export function refreshQueries(client: QueryClient): (queryKey: QueryKey) => Promise<void> {
  const running = new Map<string, Refresh>()

  return async (queryKey) => {
    const name = JSON.stringify(queryKey)
    const earlier = running.get(name)
    const now = systemClock.monotonic()
    const isLost = earlier !== undefined && now - earlier.since > LOST_AFTER_MS
    if (earlier && !isLost) {
      earlier.isStale = true
      return
    }
    // A read that is in flight may have begun before the change.
    const mine: Refresh = { since: now, isStale: !isLost && client.isFetching({ queryKey }) > 0 }
    running.set(name, mine)
    await client.invalidateQueries({ queryKey }, { cancelRefetch: isLost })
    while (mine.isStale && running.get(name) === mine) {
      mine.isStale = false
      mine.since = systemClock.monotonic()
      await client.invalidateQueries({ queryKey }, { cancelRefetch: false })
    }
    if (running.get(name) === mine) running.delete(name)
  }
}
