/** Delays between attempts, in milliseconds. */
export type BackoffLimits = { baseMs: number; capMs: number }

/**
 * Full jitter: a random time in [0, min(cap, base · 2^attempt)], so that clients that failed together retry at
 * different times. The first attempt is 0. Source: Brooker, "Exponential Backoff And Jitter" (2015).
 */
export function fullJitter(attempt: number, { baseMs, capMs }: BackoffLimits, random: () => number): number {
  return Math.floor(random() * Math.min(capMs, baseMs * 2 ** Math.min(attempt, 30)))
}
