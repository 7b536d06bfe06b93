import { setImmediate } from 'node:timers/promises'
import type { Clock } from '@svc/shared/kit/clock.ts'

/** A search has reached its deadline. What was found so far is answered as partial. */
export class OutOfTime extends Error {}

/** How long a search may go on, and when it lets others work. */
export type SearchBudget = {
  isLate(): boolean
  /** To be called every fraction of a millisecond of work. Gives way now and then; throws `OutOfTime` past the deadline. */
  pause(): Promise<void> | undefined
}

// The event loop serves others at least this often while a search works.
const SLICE_MS = 8

type Limits = { clock: Clock; deadlineMs: number; signal?: AbortSignal | undefined }

/** A budget that ends after so many milliseconds, or when nobody waits for the search any more. */
export function createSearchBudget({ clock, deadlineMs, signal }: Limits): SearchBudget {
  const end = clock.monotonic() + deadlineMs
  let since = clock.monotonic()
  const giveWay = async () => {
    await setImmediate()
    since = clock.monotonic()
  }
  return {
    isLate: () => signal?.aborted === true || clock.monotonic() > end,
    pause() {
      const now = clock.monotonic()
      if (now > end || signal?.aborted) throw new OutOfTime()
      return now - since > SLICE_MS ? giveWay() : undefined
    },
  }
}
