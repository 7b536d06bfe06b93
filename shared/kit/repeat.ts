import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

type Repeat = {
  everyMs: number
  /** The signal aborts when the repetition is stopped. */
  task: (stopped: AbortSignal) => Promise<unknown>
  /** Whether the task first runs at the start or after one interval. */
  first: 'at_once' | 'after_interval'
  clock: Pick<Clock, 'sleep'>
  log: Log
  /** Names the task in the log when it fails. */
  name: string
}

/** Runs a task repeatedly. A failure is logged, and the task is retried after the interval. */
export function repeat({ everyMs, task, first, clock, log, name }: Repeat) {
  const stopped = new AbortController()
  const pause = () => clock.sleep(everyMs, stopped.signal).catch(() => {})
  let running: Promise<void> | undefined
  const run = async () => {
    if (first === 'after_interval') await pause()
    while (!stopped.signal.aborted) {
      await task(stopped.signal).catch((err: unknown) => {
        if (!stopped.signal.aborted) log.warn({ err, task: name }, 'a periodic task failed; it is tried again')
      })
      await pause()
    }
  }
  return {
    start: () => void (running ??= run()),
    /** Stops, and waits for a running task. */
    close: async (): Promise<void> => {
      stopped.abort()
      await running
    },
  }
}
