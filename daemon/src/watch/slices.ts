import { setImmediate } from 'node:timers/promises'
import { systemClock } from '@svc/shared/kit/clock.ts'

/** Call this between pieces of work of less than a millisecond: it yields the event loop now and then. */
export type Pause = () => Promise<void> | undefined

// The event loop serves others at least this often while a vault is gone through.
const SLICE_MS = 8

/** The pauses of one piece of work. Once the signal is aborted, the next pause rejects, which ends the work. */
export function slices(signal?: AbortSignal): Pause {
  let since = systemClock.monotonic()
  const giveWay = async () => {
    await setImmediate()
    signal?.throwIfAborted()
    since = systemClock.monotonic()
  }
  return () => (systemClock.monotonic() - since > SLICE_MS ? giveWay() : undefined)
}
