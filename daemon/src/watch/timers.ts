/** Timers that do not keep the process alive, and that can be ended together. */
export type Timers = {
  later(ms: number, run: () => Promise<void>): NodeJS.Timeout
  clear(): void
}

export function createTimers(): Timers {
  const timers = new Set<NodeJS.Timeout>()
  return {
    later(ms, run) {
      const timer = setTimeout(() => {
        timers.delete(timer)
        void run()
      }, ms)
      timer.unref()
      timers.add(timer)
      return timer
    },
    clear() {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}
