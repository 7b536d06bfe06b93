import type { Clock } from '@svc/shared/kit/clock.ts'

type Options = {
  /** Milliseconds of CPU that the process has used so far. */
  cpuMs(): number
  /** Milliseconds since the last request ended; 0 while one is in progress. */
  idleMs(): number
  /** Gives free memory back to the system. Holds the event loop for a tenth of a second and more, in several turns. */
  giveBack(): Promise<void>
  clock: Clock
  timing?: { lookMs: number; restMs: number }
}

const TIMING = { lookMs: 2000, restMs: 6000 }
// Timers and probes use less in the time between two looks.
const BUSY_SHARE = 0.02

/**
 * Gives memory back once after each busy time. V8 keeps the room that a start or a burst of requests needed for as long
 * as nothing new is allocated: on an idle daemon of 10,000 notes that is 20 MB. A request that comes meanwhile waits, so
 * nothing is given back while people or agents are at work, however little CPU they take.
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
      // The CPU time of the collection itself does not count as work: it would be followed by another one, for ever.
      void giveBack().then(() => {
        last = { at: clock.monotonic(), cpu: cpuMs() }
      })
    }
  }
  const looking = setInterval(look, timing.lookMs)
  looking.unref()
  return { look, stop: () => clearInterval(looking) }
}
