import { setImmediate } from 'node:timers/promises'
import { threadCpuMs } from './cpu-time.ts'
import { STALL_MS } from './fuzz.ts'
import { slowness } from './machine-speed.ts'

/** The CPU time of the longest turn of the event loop while work runs, in milliseconds. */
export async function longestTurnMs(work: () => unknown): Promise<number> {
  await setImmediate()
  let [since, longest, isOver] = [threadCpuMs(), 0, false]
  const over = (async () => work())().finally(() => (isOver = true))
  while (!isOver) {
    await setImmediate()
    const now = threadCpuMs()
    longest = Math.max(longest, now - since)
    since = now
  }
  await over
  return longest
}

/**
 * The longest turn on a machine of normal speed. A garbage collection or another program may stretch one run, so work
 * whose turns are too long runs up to three times.
 */
export async function leastLongestTurnMs(work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && least >= STALL_MS; attempt++)
    least = Math.min(least, (await longestTurnMs(work)) / slowness())
  return least
}
