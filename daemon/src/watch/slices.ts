import { setImmediate } from 'node:timers/promises'
import { systemClock } from '@svc/shared/kit/clock.ts'

/** To be called between pieces of work of less than a millisecond: gives way to others now and then. */
export type Pause = () => Promise<void> | undefined

// The event loop serves others at least this often while a vault is gone through.
const SLICE_MS = 8

/** The pauses of one piece of work. Once the signal is aborted, a pause that gives way rejects and so ends the work. */
export function slices(signal?: AbortSignal): Pause {
  let since = systemClock.monotonic()
  const giveWay = async () => {
    await setImmediate()
    signal?.throwIfAborted()
    since = systemClock.monotonic()
  }
  return () => (systemClock.monotonic() - since > SLICE_MS ? giveWay() : undefined)
}
