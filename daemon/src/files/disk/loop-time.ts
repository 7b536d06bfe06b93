import type { Clock } from '@svc/shared/kit/clock.ts'

/** Limits how long disk operations may block the event loop. */
export type LoopTime = {
  /** True if an operation may run on the event loop now. */
  isLeft(): boolean
  /** Runs an operation and counts its time. */
  spend<T>(step: () => T): T
}

// The limit for one turn of the event loop. Many operations add up, for example if a folder of thousands of files
// moves.
const TURN_MS = 10
// An operation that takes longer shows that the disk is busy or slow.
const SLOW_MS = 20
// After a slow operation, none runs on the event loop for this many times its duration.
const REST = 200

/** Limits the time of disk operations in one turn of the event loop, and allows none for a while after a slow one. */
export function createLoopTime(clock: Pick<Clock, 'monotonic'>): LoopTime {
  let spent = 0
  let isCounting = false
  let restsUntil = 0

  return {
    isLeft: () => spent < TURN_MS && (restsUntil === 0 || clock.monotonic() >= restsUntil),
    spend(step) {
      const from = clock.monotonic()
      try {
        return step()
      } finally {
        const now = clock.monotonic()
        spent += now - from
        if (now - from > SLOW_MS) restsUntil = now + REST * (now - from)
        if (!isCounting) setImmediate(() => ((spent = 0), (isCounting = false)))
        isCounting = true
      }
    },
  }
}
