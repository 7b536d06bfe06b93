import { setImmediate } from 'node:timers/promises'

/** Callers that resume in one turn of the event loop. Each then works for 0.2 ms, and for 1 ms until V8 has optimized. */
const AT_A_TIME = 4

type Options<Item, Result> = {
  /** Does the work for many items; returns one result for each item, in their order. */
  run: (items: Item[]) => Promise<Result[]>
  /** Maximum number of items per batch, so that one turn of the event loop does not handle more results. */
  most: number
}
type Waiting<Item, Result> = { item: Item; result: PromiseWithResolvers<Result> }

/**
 * Does work for items in batches. One batch runs at a time; the next one takes the items that arrived in the meantime.
 * Many items at once therefore cost a few queries and do not use up the connection pool. Their callers resume a few at a
 * time, so that other requests run in between. When a batch fails, each of its callers gets the error.
 */
export function createInBatches<Item, Result>({ run, most }: Options<Item, Result>): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = []
  let isRunning = false

  const runBatch = async (batch: Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await run(batch.map(({ item }) => item))
      for (const [nth, { result }] of batch.entries()) {
        if (nth > 0 && nth % AT_A_TIME === 0) await setImmediate()
        result.resolve(results[nth] as Result)
      }
    } catch (error) {
      for (const { result } of batch) result.reject(error)
    }
  }
  const runAll = async (): Promise<void> => {
    isRunning = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most)
      waiting = waiting.slice(most)
      await runBatch(batch)
    }
    isRunning = false
  }

  return (item) => {
    const result = Promise.withResolvers<Result>()
    waiting.push({ item, result })
    if (!isRunning) void runAll()
    return result.promise
  }
}
