import type { Clock } from '@svc/shared/kit/clock.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'

type Options = { forMs: number; clock: Clock; signal: AbortSignal }

const AGAIN_MS = 1_000

/**
 * Queries a daemon, and retries while its failure says that the same request may succeed: a tunnel may open a moment
 * after its pod is running. Only for queries that change nothing.
 */
export async function queryDaemon<T>(query: () => Promise<T>, { forMs, clock, signal }: Options): Promise<T> {
  const deadline = clock.monotonic() + forMs
  for (;;) {
    try {
      return await query()
    } catch (error) {
      signal.throwIfAborted()
      if (!isFailure(error) || error.retry !== 'same_request' || clock.monotonic() > deadline) throw error
      await clock.sleep(AGAIN_MS, signal)
    }
  }
}
