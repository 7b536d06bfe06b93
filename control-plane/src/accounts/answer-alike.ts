import type { Clock } from '@svc/shared/kit/clock.ts'

/** Responses are sent at a multiple of this time, so that their timing reveals nothing. */
const ALIKE_MS = 250

/**
 * Waits for the next beat since `began` (a monotonic time), so that the response time reveals nothing about the work.
 */
export const untilNextBeat = (clock: Pick<Clock, 'monotonic' | 'sleep'>, began: number): Promise<void> =>
  clock.sleep(ALIKE_MS - ((clock.monotonic() - began) % ALIKE_MS))
