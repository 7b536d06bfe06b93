import { setImmediate } from 'node:timers/promises'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Sliced } from './words/phrase-places.ts'

/** A search has used up its time, or needs more memory than there is. The findings so far are returned as partial. */
export class OutOfBudget extends Error {}

/** How long a search may run, and when it yields the event loop. */
export type SearchBudget = {
  isLate(): boolean
  /**
   * Call this after each fraction of a millisecond of work. Yields now and then; throws `OutOfBudget` past the deadline.
   */
  pause(): Promise<void> | undefined
}

// The event loop serves others at least this often while a search works.
const SLICE_MS = 8

type Limits = { clock: Clock; deadlineMs: number; signal?: AbortSignal | undefined }

/** A budget that ends after this many milliseconds, or when the caller has disconnected. */
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
      if (now > end || signal?.aborted) throw new OutOfBudget()
      return now - since > SLICE_MS ? giveWay() : undefined
    },
  }
}

/** Does work in slices, within a budget. */
export async function inSlices<T>(work: Sliced<T>, { pause }: Pick<SearchBudget, 'pause'>): Promise<T> {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    await pause()
  }
}
