const RELOAD_AGAIN_MS = 60_000

/**
 * Reloads the page at the same address, unless that was just done or there is no network. Returns whether it does. A
 * browser remembers that a part of the app failed to load. A new page can load the part again, gets the parts of a
 * newer build, or leads to sign-in if the session has ended.
 */
export function reloadOnce(): boolean {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (!navigator.onLine || (entry?.type === 'reload' && performance.now() < RELOAD_AGAIN_MS)) return false
  location.reload()
  return true
}

/**
 * Loads a part of the app that is not in its first files, and reloads the page if that fails; if a reload cannot help,
 * the caller gets the failure.
 */
export const loadPart = <T>(load: () => Promise<T>): Promise<T> =>
  load().catch((error: unknown) => {
    if (!reloadOnce()) throw error
    return new Promise<T>(() => {})
  })
