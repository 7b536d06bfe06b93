import { setImmediate } from 'node:timers/promises'
import { systemClock } from '@svc/shared/kit/clock.ts'

/** Call this between pieces of work of less than a millisecond: it yields the event loop now and then. */
export type Pause = () => Promise<void> | undefined

// The event loop serves others at least this often while a vault is gone through.
const SLICE_MS = 8

// There is one event loop: what others did in slices before it came to this work counts, too. Otherwise many short
// pieces of work would hold it as long as one that never pauses.
let since = Number.NEGATIVE_INFINITY
// Those that have paused go on one by one, each in a turn of its own.
let lastTurn: Promise<void> = Promise.resolve()

/** Waits for a turn of the event loop in which nobody else goes on after a pause, before a step that takes long by itself. */
export const turnOfItsOwn = (): Promise<void> => (lastTurn = lastTurn.then(() => setImmediate()))

/** The pauses of one piece of work. Once the signal is aborted, the next pause rejects, which ends the work. */
export function slices(signal?: AbortSignal): Pause {
  const giveWay = async () => {
    await turnOfItsOwn()
    since = systemClock.monotonic()
    signal?.throwIfAborted()
  }
  return () => (systemClock.monotonic() - since > SLICE_MS ? giveWay() : undefined)
}
