const RELOADED_KEY = 'svc.reloaded'
const RELOAD_AGAIN_MS = 60_000

/**
 * Loads a part of the app that is not in its first files. A browser remembers that a part failed, so asking for it again
 * needs a new page: if the server answers, the page loads anew at the same address. It then finds the part, those of a
 * newer build, or the sign-in where the session has ended. It does so at most once a minute; otherwise, and without a
 * server or storage, the caller gets a failure.
 */
export const loadPart = <T>(load: () => Promise<T>): Promise<T> =>
  load().catch(async (error: unknown) => {
    await fetch(location.href, { method: 'HEAD' })
    const now = performance.timeOrigin + performance.now()
    if (now - Number(sessionStorage.getItem(RELOADED_KEY)) < RELOAD_AGAIN_MS) throw error
    sessionStorage.setItem(RELOADED_KEY, String(now))
    location.reload()
    return new Promise<T>(() => {})
  })
