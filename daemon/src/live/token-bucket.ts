import type { Clock } from '@svc/shared/kit/clock.ts'

type Options = { burst: number; perSecond: number; clock: Pick<Clock, 'monotonic'> }

/** Allows this many takes at once, and this many per second afterwards. */
export function tokenBucket({ burst, perSecond, clock }: Options): { take(): boolean } {
  let tokens = burst
  let at = clock.monotonic()
  return {
    take() {
      const now = clock.monotonic()
      tokens = Math.min(burst, tokens + ((now - at) / 1000) * perSecond)
      at = now
      if (tokens < 1) return false
      tokens -= 1
      return true
    },
  }
}
