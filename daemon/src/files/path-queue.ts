/** Runs work on one path after the other; work on different paths runs side by side. */
export type PathQueue = {
  run<T>(key: string, work: () => Promise<T>): Promise<T>
  /** Number of pieces of work that are waiting or running. */
  pending(): number
  /** Resolves when all work that was accepted before this call is done; answers how much that was. */
  drain(): Promise<number>
}

/** A new queue with nothing in it. */
export function pathQueue(): PathQueue {
  const tails = new Map<string, Promise<unknown>>()
  const running = new Set<Promise<unknown>>()

  return {
    run(key, work) {
      const before = tails.get(key) ?? Promise.resolve()
      const result = before.then(work)
      const tail = result.then(
        () => {},
        () => {},
      )
      tails.set(key, tail)
      running.add(tail)
      void tail.then(() => {
        running.delete(tail)
        if (tails.get(key) === tail) tails.delete(key)
      })
      return result
    },
    pending: () => running.size,
    async drain() {
      const waited = [...running]
      await Promise.all(waited)
      return waited.length
    },
  }
}
