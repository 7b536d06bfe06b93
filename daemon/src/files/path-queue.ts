import { fail } from '@svc/shared/wire/errors.ts'

/** Runs work on each path sequentially; work on different paths runs concurrently. */
export type PathQueue = {
  /** Keys that start with a slash are for work inside other work; they do not wait for exclusive work. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>
  /** Runs exclusively: after all work that was accepted before, and before any that is accepted later. */
  runAlone<T>(work: () => Promise<T>): Promise<T>
  /** Number of pieces of work that are waiting or running. */
  pending(): number
  /** Resolves when all work that was accepted before this call is done; returns its amount. */
  drain(): Promise<number>
  /** Waits for all accepted work; later work is refused with `vault_closing`. */
  close(): Promise<void>
}

/** A new queue with nothing in it. */
export function createPathQueue(): PathQueue {
  const tails = new Map<string, Promise<unknown>>()
  const running = new Set<Promise<unknown>>()
  let alone: Promise<unknown> = Promise.resolve()
  let isClosed = false

  function start<T>(before: Promise<unknown>, work: () => Promise<T>): { result: Promise<T>; tail: Promise<void> } {
    const result = before.then(work)
    const tail = result.then(
      () => {},
      () => {},
    )
    running.add(tail)
    void tail.then(() => running.delete(tail))
    return { result, tail }
  }

  return {
    async run(key, work) {
      if (isClosed) throw fail('vault_closing')
      const before = tails.get(key) ?? Promise.resolve()
      const { result, tail } = start(key.startsWith('/') ? before : Promise.all([before, alone]), work)
      tails.set(key, tail)
      void tail.then(() => {
        if (tails.get(key) === tail) tails.delete(key)
      })
      return result
    },
    async runAlone(work) {
      if (isClosed) throw fail('vault_closing')
      const { result, tail } = start(Promise.all(running), work)
      alone = tail
      return result
    },
    pending: () => running.size,
    async drain() {
      const waited = [...running]
      await Promise.all(waited)
      return waited.length
    },
    async close() {
      while (running.size > 0) await Promise.all(running)
      isClosed = true
    },
  }
}
