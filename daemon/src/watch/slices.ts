import { setImmediate } from 'node:timers/promises'
import { systemClock } from '@svc/shared/kit/clock.ts'

/** Call this between pieces of work of less than a millisecond each: it yields the event loop now and then. */
export type Pause = () => Promise<void> | undefined

// While a vault is processed, the event loop serves others at least this often.
const SLICE_MS = 8

// Shared by all work, because there is one event loop: the time that other sliced work has just used counts, too.
// Otherwise many short pieces of work would block it as long as one that never pauses.
let since = Number.NEGATIVE_INFINITY
// Work that has paused resumes one by one, each in its own turn.
let lastTurn: Promise<void> = Promise.resolve()

/** Waits for a turn of the event loop in which no other paused work resumes. For a step that takes long by itself. */
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
