import { systemClock } from '@svc/shared/kit/clock.ts'
import { toFailure } from '../api-failure.ts'
import { askAgainAfter } from './operation-id.ts'

/**
 * Runs an audited operation and repeats the request, with its one id, while the server says that it is still running.
 * `onRunning` is called once it is known to take longer than one request.
 */
export async function runToOutcome<T>(run: () => Promise<T>, signal: AbortSignal, onRunning = () => {}): Promise<T> {
  for (;;) {
    try {
      return await run()
    } catch (error) {
      const seconds = askAgainAfter(toFailure(error))
      if (signal.aborted || seconds === undefined) throw error
      onRunning()
      await systemClock.sleep(seconds * 1000, signal)
    }
  }
}
