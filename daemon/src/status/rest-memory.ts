import type { Clock } from '@svc/shared/kit/clock.ts'
import type { CompiledCode } from './return-memory.ts'

type Options = {
  /** Milliseconds of CPU that the process has used so far. */
  cpuMs(): number
  /** Bytes of memory that the process holds. */
  residentBytes(): number
  /** Milliseconds since the last request ended; 0 while one is in progress. */
  idleMs(): number
  /** Returns free memory to the system. Blocks the event loop for a tenth of a second or more, over several turns. */
  giveBack(code: CompiledCode): Promise<void>
  clock: Clock
  timing?: { lookMs: number; restMs: number; againMs: number; slowlyMs: number; forgetMs: number }
}

const TIMING = { lookMs: 2000, restMs: 6000, againMs: 30_000, slowlyMs: 60_000, forgetMs: 60_000 }
// Timers and probes use less than this share of the time between two looks.
const BUSY_SHARE = 0.02
// The code of a route that is loaded on its first request is less than this.
const GROWN_BYTES = 8 * 1024 ** 2
// Timers alone leave this in five minutes. A collection takes 40 ms of CPU time, so it must not run often.
const SLOWLY_GROWN_BYTES = 1.25 * 1024 ** 2

/**
 * Returns memory once after each busy period. V8 keeps the memory that a start or a burst of requests needed for as
 * long as nothing new is allocated: 20 MB on an idle daemon of 10,000 notes. A request that arrives during the
 * collection has to wait, so nothing is returned while people or agents are at work, however little CPU they use.
 *
 * A collection while a child process builds the index frees nothing that is held until it ends, and a child that does
 * the work leaves this process too idle to count as busy. So memory is also returned after the child has ended, and once
 * more after `againMs` if it has grown since.
 *
 * An idle daemon leaves garbage too, above all when it compares all files with what it remembers, every three minutes:
 * V8's young generation then takes 2 MB, and keeps them. So memory is also returned if it has grown a little, at most
 * once in `slowlyMs`.
 *
 * The next request has to compile again what was forgotten: 20 ms of CPU time. A person who reads a note asks again in
 * less than a minute, so code is forgotten when nobody has asked for `forgetMs`, or since the start.
 */
export function createRestMemory({ cpuMs, residentBytes, idleMs, giveBack, clock, timing = TIMING }: Options): {
  look(): void
  /** A child process that worked for this one has ended: what it has made obsolete is returned after a rest. */
  owe(): void
  stop(): void
} {
  const startedAt = clock.monotonic()
  let last = { at: startedAt, cpu: cpuMs() }
  let quietSince = startedAt
  let isOwed = true
  let restedBytes = Number.POSITIVE_INFINITY
  let returnedAt = startedAt
  let code: CompiledCode = 'forgotten'

  const look = () => {
    const now = { at: clock.monotonic(), cpu: cpuMs() }
    const isBusy = now.cpu - last.cpu > (now.at - last.at) * BUSY_SHARE
    last = now
    if (isBusy) {
      isOwed = true
      quietSince = now.at
      return
    }
    const idle = idleMs()
    if (!isOwed) isOwed = hasGrown(now.at) || (code === 'kept' && idle >= timing.forgetMs)
    if (isOwed && now.at - quietSince >= timing.restMs && idle >= timing.restMs) {
      code = idle >= Math.min(timing.forgetMs, now.at - startedAt) ? 'forgotten' : 'kept'
      isOwed = false
      returnedAt = now.at
      // What this collection does not free is in use, and leads to no other one.
      restedBytes = Number.POSITIVE_INFINITY
      // Do not count the CPU time of the collection as work: it would trigger another collection, forever.
      void giveBack(code).then(() => {
        last = { at: clock.monotonic(), cpu: cpuMs() }
      })
    }
  }
  const hasGrown = (at: number): boolean => {
    const bytes = residentBytes()
    restedBytes = Math.min(restedBytes, bytes)
    const grown = bytes - restedBytes
    const sinceMs = at - returnedAt
    return (
      (grown > GROWN_BYTES && sinceMs >= timing.againMs) || (grown > SLOWLY_GROWN_BYTES && sinceMs >= timing.slowlyMs)
    )
  }
  const looking = setInterval(look, timing.lookMs)
  looking.unref()
  return {
    look,
    owe() {
      isOwed = true
      quietSince = clock.monotonic()
    },
    stop: () => clearInterval(looking),
  }
}
