import { systemClock } from '@svc/shared/kit/clock.ts'
import { toFailure } from '../api-failure.ts'
import { askAgainAfter } from './operation-id.ts'

/**
 * Runs an audited operation. While the server responds that the operation is still running, repeats the request with
 * the same id. `onRunning` is called when one request was not enough.
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
