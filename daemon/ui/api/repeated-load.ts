import { systemClock } from '@svc/shared/kit/clock.ts'
import { asRefusal, passesByItself, secondsToRetry, type Refusal } from './refusal.ts'

/** The end of a load. A temporary failure has the seconds until the retry. */
export type Outcome<T> = { state: 'ready'; value: T } | { state: 'refused'; refusal: Refusal; retryInSeconds?: number }

type Options<T> = {
  load(signal: AbortSignal): Promise<T>
  ended(outcome: Outcome<T>): void
}

type Running = { abort: AbortController; since: number; isStale: boolean }

// The response to a request of this age may never come, for example after a change of the network.
const LOST_AFTER_MS = 60_000

/**
 * Loads at once and on `reload`, one load at a time. A reload during a load runs when that has ended: if it replaced the
 * load, one that takes longer than the reloads are apart would never end. A temporary failure is retried after the time
 * that the daemon asked for.
 */
export function repeatedLoad<T>({ load, ended }: Options<T>) {
  let running: Running | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  async function attempt(nth: number): Promise<void> {
    clearTimeout(timer)
    const mine: Running = { abort: new AbortController(), since: systemClock.monotonic(), isStale: false }
    running = mine
    const outcome = await outcomeOf(() => load(mine.abort.signal), nth)
    if (running !== mine) return
    running = undefined
    const again = outcome.state === 'refused' ? outcome.retryInSeconds : undefined
    if (mine.isStale) void attempt(0)
    else if (again !== undefined) timer = setTimeout(() => void attempt(nth + 1), again * 1000)
    ended(outcome)
  }

  function stop(): void {
    clearTimeout(timer)
    running?.abort.abort()
    running = undefined
  }

  void attempt(0)

  return {
    reload(): void {
      if (running && systemClock.monotonic() - running.since < LOST_AFTER_MS) {
        running.isStale = true
        return
      }
      stop()
      void attempt(0)
    },
    stop,
  }
}

async function outcomeOf<T>(load: () => Promise<T>, nth: number): Promise<Outcome<T>> {
  try {
    return { state: 'ready', value: await load() }
  } catch (thrown) {
    const refusal = asRefusal(thrown)
    return {
      state: 'refused',
      refusal,
      ...(passesByItself(refusal) && { retryInSeconds: secondsToRetry(refusal, nth) }),
    }
  }
}
