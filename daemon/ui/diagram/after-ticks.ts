const TICK_MS = 1000

/**
 * Calls `run` after that many seconds of a running page: all the time that the page stood still counts as one. Returns
 * what cancels that.
 */
export function afterTicks(ticks: number, run: () => void): () => void {
  let left = ticks
  const timer = setInterval(() => {
    left -= 1
    if (left > 0) return
    clearInterval(timer)
    run()
  }, TICK_MS)
  return () => clearInterval(timer)
}
