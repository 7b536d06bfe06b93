import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'

type Deps = { task(): Promise<unknown>; everyMs: number; clock: Clock; log: Log }

/** Repeats a task that nobody waits for, from the start on; a failure waits for the next time. Answers how to stop. */
export function startUpkeep({ task, everyMs, clock, log }: Deps): () => Promise<void> {
  const stop = new AbortController()
  const run = async () => {
    while (!stop.signal.aborted) {
      await task().catch((err: unknown) => log.warn({ err }, 'upkeep failed; it comes again'))
      await clock.sleep(everyMs, stop.signal).catch(() => {})
    }
  }
  const ended = run()

  return async () => {
    stop.abort(new Error('the process is stopping'))
    await ended
  }
}
