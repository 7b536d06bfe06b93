import { setImmediate } from 'node:timers/promises'
import { threadCpuMs } from './cpu-time.ts'

/** The longest time that others have to wait while some work goes on, in CPU time of this thread. */
export async function longestTurnMs(start: () => Promise<unknown>): Promise<number> {
  let isDone = false
  let longest = 0
  let last = threadCpuMs()
  const measure = () => {
    const now = threadCpuMs()
    longest = Math.max(longest, now - last)
    last = now
  }
  const work = start().finally(() => (isDone = true))
  while (!isDone) {
    measure()
    await setImmediate()
  }
  measure()
  await work
  return longest
}
