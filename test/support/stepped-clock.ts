/** A clock whose waits end when the test says so. `pass` ends the last one. */
export function steppedClock(at = new Date(0)) {
  let end: () => void = () => {}
  const sleep = (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      end = resolve
      signal?.addEventListener('abort', () => reject(new Error('stopped')), { once: true })
    })
  return { now: () => at, sleep, pass: () => end() }
}
