import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'

/** A clock whose durations pass faster by a factor: a wait of 25 s ends after 1 s. The wall clock is unchanged. */
export const hurriedClock = (faster: number): Clock => ({
  now: systemClock.now,
  monotonic: () => systemClock.monotonic() * faster,
  sleep: (ms, signal) => systemClock.sleep(ms / faster, signal),
})
