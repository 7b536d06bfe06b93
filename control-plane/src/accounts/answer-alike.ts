import type { Clock } from '@svc/shared/kit/clock.ts'

/** Answers that must not tell by their time come at a multiple of this. */
const ALIKE_MS = 250

/** Waits for the next beat since `began`, a monotonic time, so that the answer's time tells nothing of the work. */
export const untilNextBeat = (clock: Pick<Clock, 'monotonic' | 'sleep'>, began: number): Promise<void> =>
  clock.sleep(ALIKE_MS - ((clock.monotonic() - began) % ALIKE_MS))
