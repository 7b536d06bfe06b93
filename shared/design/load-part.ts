const RELOAD_AGAIN_MS = 60_000

/**
 * Loads the page anew at the same address, unless that was just done or there is no network. Answers whether it does. A
 * browser remembers that a part of the app failed to load, so asking for it again needs a new page, which finds the part,
 * those of a newer build, or the sign-in where the session has ended.
 */
export function reloadOnce(): boolean {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (!navigator.onLine || (entry?.type === 'reload' && performance.now() < RELOAD_AGAIN_MS)) return false
  location.reload()
  return true
}

/** Loads a part of the app that is not in its first files, with a new page if need be; else its caller gets the failure. */
export const loadPart = <T>(load: () => Promise<T>): Promise<T> =>
  load().catch((error: unknown) => {
    if (!reloadOnce()) throw error
    return new Promise<T>(() => {})
  })
