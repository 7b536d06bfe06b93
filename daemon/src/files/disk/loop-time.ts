import type { Clock } from '@svc/shared/kit/clock.ts'

/** How long steps on a disk may hold the event loop. */
export type LoopTime = {
  /** True when a step may be made on the event loop now. */
  isLeft(): boolean
  /** Makes a step that counts. */
  spend<T>(step: () => T): T
}

// The steps of one turn of the event loop, as of a folder of thousands of files that moves.
const TURN_MS = 10
// Such a step shows a disk that is busy, or slow.
const SLOW_MS = 20
// A slow step keeps later ones away from the event loop for so many times as long.
const REST = 200

/** Limits the time of steps in one turn of the event loop, and on a disk that is slow at the moment. */
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
