import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

type Repeat = {
  everyMs: number
  task: () => Promise<unknown>
  /** Whether the task runs at the start, or an interval after it. */
  first: 'at_once' | 'after_interval'
  clock: Pick<Clock, 'sleep'>
  log: Log
  /** Says in the log what has failed. */
  name: string
}

/** Runs a task again and again. A failure is logged, and the task is tried again after the interval. */
export function repeat({ everyMs, task, first, clock, log, name }: Repeat) {
  const stopped = new AbortController()
  const pause = () => clock.sleep(everyMs, stopped.signal).catch(() => {})
  let running: Promise<void> | undefined
  const run = async () => {
    if (first === 'after_interval') await pause()
    while (!stopped.signal.aborted) {
      await task().catch((err: unknown) => {
        if (!stopped.signal.aborted) log.warn({ err, task: name }, 'a periodic task failed; it is tried again')
      })
      await pause()
    }
  }
  return {
    start: () => void (running ??= run()),
    /** Lets the task end that runs now. */
    close: async (): Promise<void> => {
      stopped.abort()
      await running
    },
  }
}
