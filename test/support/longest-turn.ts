import { threadCpuMs } from './cpu-time.ts'

/** The CPU time of the longest turn of the event loop while `work` runs. */
export async function longestTurnMs(work: () => unknown): Promise<number> {
  let longest = 0
  let since = threadCpuMs()
  let watching = true
  const look = () => {
    longest = Math.max(longest, threadCpuMs() - since)
    if (watching) setImmediate(look)
    since = threadCpuMs()
  }
  setImmediate(look)
  await work()
  watching = false
  return longest
}
