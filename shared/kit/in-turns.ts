/**
 * Runs work a few at a time, in the order of the calls. The caller must limit how much waits, and the work must end by
 * itself, because there is no timeout.
 */
export function createInTurns(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0

  return async (work) => {
    if (running < atOnce) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The place passes to the next one without being free: a call in between cannot take it.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
