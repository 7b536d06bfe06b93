const RELOAD_AGAIN_MS = 60_000

/**
 * Loads a part of the app that is not in its first files. A browser remembers that a part failed, so asking for it again
 * needs a new page: the page loads anew at the same address. It then finds the part, those of a newer build, or the
 * sign-in where the session has ended. A page that was just loaded anew, or has no network, gives its caller the failure.
 */
export const loadPart = <T>(load: () => Promise<T>): Promise<T> =>
  load().catch((error: unknown) => {
    const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
    if (!navigator.onLine || (entry?.type === 'reload' && performance.now() < RELOAD_AGAIN_MS)) throw error
    location.reload()
    return new Promise<T>(() => {})
  })
