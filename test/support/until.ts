import { systemClock } from '@svc/shared/kit/clock.ts'

type Options = { withinMs?: number; everyMs?: number }

/** Waits until a condition of the real world holds, and says which one did not. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  { withinMs = 45_000, everyMs = 25 }: Options = {},
): Promise<void> {
  const deadline = systemClock.monotonic() + withinMs
  while (!(await holds())) {
    if (systemClock.monotonic() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`)
    await systemClock.sleep(everyMs)
  }
}
