import { systemClock } from '@svc/shared/kit/clock.ts'

type Options = { withinMs?: number; everyMs?: number }

/**
 * Half of the time limit of a test. On a slow machine, a wait then fails with its own message before the runner ends
 * the test.
 */
export const PATIENCE_MS = 90_000

/** Waits until a condition holds; fails with the name of the condition after the time limit. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  { withinMs = PATIENCE_MS, everyMs = 25 }: Options = {},
): Promise<void> {
  const deadline = systemClock.monotonic() + withinMs
  while (!(await holds())) {
    if (systemClock.monotonic() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`)
    await systemClock.sleep(everyMs)
  }
}
