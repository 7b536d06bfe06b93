import type { Clock } from '@svc/shared/kit/clock.ts'

/**
 * Flushes, and returns the time as of which everything is durable. That is when the flush began: it does not wait for
 * what is accepted later.
 */
export async function flushAsOf(clock: Pick<Clock, 'now'>, flush: () => Promise<number>) {
  const durableAsOf = clock.now().toISOString()
  return { flushed: await flush(), durableAsOf }
}
