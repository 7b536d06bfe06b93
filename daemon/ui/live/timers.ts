/** The timers of a live link; each runs at most once at a time. */
export type TimerName = 'retry' | 'push' | 'cursor' | 'keep' | 'watch'

export type Timers = ReturnType<typeof namedTimers>

/** Timers by name. A timer that runs already is not set again. */
export function namedTimers() {
  const waiting = new Map<TimerName, ReturnType<typeof setTimeout>>()
  const cancel = (name: TimerName) => {
    clearTimeout(waiting.get(name))
    waiting.delete(name)
  }
  return {
    later(name: TimerName, ms: number, run: () => void) {
      if (waiting.has(name)) return
      const fire = () => {
        waiting.delete(name)
        run()
      }
      waiting.set(name, setTimeout(fire, ms))
    },
    cancel,
    cancelAll: () => {
      for (const name of waiting.keys()) cancel(name)
    },
  }
}
