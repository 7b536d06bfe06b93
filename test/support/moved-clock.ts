import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'

/** A clock whose durations pass only when the test says so. The wall clock is that of the machine. */
export function movedClock(): Clock & { pass(ms: number): void } {
  let at = 0
  const waits = new Set<{ dueAt: number; end: () => void }>()

  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      if (ms <= 0) return resolve()
      const wait = { dueAt: at + ms, end: resolve }
      waits.add(wait)
      signal?.addEventListener(
        'abort',
        () => {
          waits.delete(wait)
          reject(signal.reason)
        },
        { once: true },
      )
    })

  const pass = (ms: number) => {
    at += ms
    for (const wait of waits) {
      if (wait.dueAt > at) continue
      waits.delete(wait)
      wait.end()
    }
  }
  return { now: systemClock.now, monotonic: () => at, sleep, pass }
}
