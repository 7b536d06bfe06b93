import type { Clock } from './clock.ts'

/** Resolves with the work, or rejects with `late` when it takes longer. A failure after that is ignored. */
export async function within<T>(work: Promise<T>, { ms, late }: { ms: number; late: () => Error }): Promise<T> {
  const over = Promise.withResolvers<never>()
  const timer = setTimeout(() => over.reject(late()), ms)
  try {
    return await Promise.race([work, over.promise])
  } finally {
    clearTimeout(timer)
    work.catch(() => {})
  }
}

/** True when the work ends in time. It continues in any case; if it fails in time, so does this. */
export async function endsWithin(
  work: Promise<unknown>,
  { ms, clock }: { ms: number; clock: Pick<Clock, 'sleep'> },
): Promise<boolean> {
  const waiting = new AbortController()
  const isLate = () => false
  try {
    return await Promise.race([work.then(() => true), clock.sleep(ms, waiting.signal).then(isLate, isLate)])
  } finally {
    waiting.abort()
  }
}
