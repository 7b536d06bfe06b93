import { systemClock } from '@svc/shared/kit/clock.ts'

type Options = { withinMs?: number; everyMs?: number }

/** Half of the time of a test, so that on a slow machine too it fails with this message before the runner ends it. */
export const PATIENCE_MS = 90_000

/** Waits until a condition of the real world holds; fails with its name otherwise. */
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
