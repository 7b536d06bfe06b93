import type { Clock } from '@svc/shared/kit/clock.ts'

const WINDOW_MS = 60_000
const MAX_FAILURES = 10
const MAX_SOURCES = 10_000

/** Counts wrong keys by source address. Ten within a minute close the door to that address for the rest of it. */
export function createWrongKeyLimit(clock: Pick<Clock, 'monotonic'>) {
  const failures = new Map<string, { since: number; count: number }>()

  const current = (source: string) => {
    const found = failures.get(source)
    return found && clock.monotonic() - found.since < WINDOW_MS ? found : undefined
  }

  return {
    /** Seconds to wait before the source may try again; 0 when it may. */
    waitSeconds: (source: string): number => {
      const found = current(source)
      if (found === undefined || found.count < MAX_FAILURES) return 0
      return Math.max(1, Math.ceil((found.since + WINDOW_MS - clock.monotonic()) / 1000))
    },

    count: (source: string): void => {
      const found = current(source)
      if (found !== undefined) found.count += 1
      else {
        if (failures.size >= MAX_SOURCES) failures.clear()
        failures.set(source, { since: clock.monotonic(), count: 1 })
      }
    },
  }
}
