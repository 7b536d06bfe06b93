import type { Worker } from 'node:worker_threads'

type Options = {
  thread: Pick<Worker, 'cpuUsage'>
  /** The most processor time that the thread may use from now on. */
  workMs: number
  /** Called once, unless the deadline is cancelled before. */
  onPassed(): void
}

// A thread that gets little processor time, or does not say how much, is given this many times as long.
const LONGEST = 6
const LOOK_MS = 100

/**
 * A deadline for the work of a thread. It counts processor time: on a busy machine a thread stands still for seconds,
 * and what it does then is no harder. Returns a function that cancels the deadline.
 */
export function startWorkDeadline({ thread, workMs, onPassed }: Options): () => void {
  const before = processorMsOf(thread)
  const longest = setTimeout(() => end(onPassed), LONGEST * workMs)
  let next = setTimeout(look, workMs)
  let isOver = false

  function end(then?: () => void): void {
    if (isOver) return
    isOver = true
    clearTimeout(longest)
    clearTimeout(next)
    then?.()
  }

  async function look(): Promise<void> {
    const [from, to] = [await before, await processorMsOf(thread)]
    if (isOver) return
    const leftMs = from === undefined || to === undefined ? 0 : workMs - (to - from)
    if (leftMs <= 0) end(onPassed)
    else next = setTimeout(look, Math.max(leftMs, LOOK_MS))
  }

  return () => end()
}

/** Undefined when the thread has ended, or when this Node cannot tell. */
async function processorMsOf(thread: Options['thread']): Promise<number | undefined> {
  try {
    const { user, system } = await thread.cpuUsage()
    return (user + system) / 1000
  } catch {
    return undefined
  }
}
