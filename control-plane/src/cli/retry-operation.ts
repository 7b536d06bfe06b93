import type { Clock } from '@svc/shared/kit/clock.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'

type Options = { waitSeconds: number; clock: Clock; say: (line: string) => void }

const PAUSE_SECONDS = 2

/** Repeats the same operation while its failure says that a retry may help, within the given time. */
export async function retryOperation<T>(ask: () => Promise<T>, { waitSeconds, clock, say }: Options): Promise<T> {
  const deadline = clock.monotonic() + waitSeconds * 1_000
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      const again = isFailure(error) && (error.retry === 'same_operation' || error.retry === 'same_request')
      const pause = (isFailure(error) ? (error.retryAfterSeconds ?? PAUSE_SECONDS) : PAUSE_SECONDS) * 1_000
      if (!again || clock.monotonic() + pause > deadline) throw error
      say(`${error.code}: asking again`)
      await clock.sleep(pause)
    }
  }
}
