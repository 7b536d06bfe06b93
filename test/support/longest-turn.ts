import { setImmediate } from 'node:timers/promises'
import { threadCpuMs } from './cpu-time.ts'
import { STALL_MS } from './fuzz.ts'
import { slowness } from './machine-speed.ts'

/** The CPU time of the longest turn of the event loop while work runs. */
async function longestTurnOf(work: () => Promise<unknown>): Promise<number> {
  await setImmediate()
  let [since, longest, isRunning] = [threadCpuMs(), 0, true]
  const turn = () => {
    const now = threadCpuMs()
    longest = Math.max(longest, now - since)
    since = now
  }
  const turns = async () => {
    while (isRunning) {
      await setImmediate()
      turn()
    }
  }
  const watching = turns()
  await work().finally(() => (isRunning = false))
  await watching
  return longest
}

/**
 * The longest turn on a machine of normal speed. A garbage collection or another program may stretch one run, so work
 * whose turns are too long runs up to three times.
 */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && longest >= STALL_MS; attempt++)
    longest = Math.min(longest, (await longestTurnOf(work)) / slowness())
  return longest
}
