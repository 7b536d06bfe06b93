import type { Clock } from '@svc/shared/kit/clock.ts'

type Options = {
  /** Milliseconds of CPU that the process has used so far. */
  cpuMs(): number
  /** Milliseconds since the last request ended; 0 while one is in progress. */
  idleMs(): number
  /** Returns free memory to the system. Blocks the event loop for a tenth of a second or more, over several turns. */
  giveBack(): Promise<void>
  clock: Clock
  timing?: { lookMs: number; restMs: number }
}

const TIMING = { lookMs: 2000, restMs: 6000 }
// Timers and probes use less than this share of the time between two looks.
const BUSY_SHARE = 0.02

/**
 * Returns memory once after each busy period. V8 keeps the memory that a start or a burst of requests needed for as
 * long as nothing new is allocated: 20 MB on an idle daemon of 10,000 notes. A request that arrives during the
 * collection has to wait, so nothing is returned while people or agents are at work, however little CPU they use.
 */
export function createRestMemory({ cpuMs, idleMs, giveBack, clock, timing = TIMING }: Options): {
  look(): void
  stop(): void
} {
  let last = { at: clock.monotonic(), cpu: cpuMs() }
  let quietSince = last.at
  let isOwed = true

  const look = () => {
    const now = { at: clock.monotonic(), cpu: cpuMs() }
    const isBusy = now.cpu - last.cpu > (now.at - last.at) * BUSY_SHARE
    last = now
    if (isBusy) {
      isOwed = true
      quietSince = now.at
    } else if (isOwed && now.at - quietSince >= timing.restMs && idleMs() >= timing.restMs) {
      isOwed = false
      // Do not count the CPU time of the collection as work: it would trigger another collection, forever.
      void giveBack().then(() => {
        last = { at: clock.monotonic(), cpu: cpuMs() }
      })
    }
  }
  const looking = setInterval(look, timing.lookMs)
  looking.unref()
  return { look, stop: () => clearInterval(looking) }
}
