/** The state of one item: running, done with a message, or failed. */
export type Outcome = { state: 'running' } | { state: 'done'; said: string } | { state: 'failed'; why: unknown }

type Given<T> = {
  items: readonly T[]
  run: (item: T) => Promise<string>
  tell: (item: T, outcome: Outcome) => void
  signal: AbortSignal
}

const AT_ONCE = 3

/**
 * Runs something for each of many items, a few at a time. A failure does not stop the others. After an abort, no
 * further item is started.
 */
export async function runForEach<T>({ items, run, tell, signal }: Given<T>): Promise<void> {
  const waiting = [...items]
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined && !signal.aborted; item = waiting.shift()) {
      tell(item, { state: 'running' })
      const outcome = await run(item).then(
        (said): Outcome => ({ state: 'done', said }),
        (why: unknown): Outcome => ({ state: 'failed', why }),
      )
      tell(item, outcome)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}
