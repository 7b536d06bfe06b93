const RELOADED_KEY = 'svc.reloaded'
const RELOAD_AGAIN_MS = 60_000

/**
 * Loads a part of the app that is not in its first files. A request that failed is tried once more. If it fails again,
 * the files of this page are most likely gone, since a new build has replaced them or the session has ended: the page
 * loads anew at the same address, and then finds its files or the sign-in. It does so at most once a minute; otherwise
 * and without network the failure goes to the caller.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load().catch(load)
  } catch (error) {
    if (!navigator.onLine || !mayReload()) throw error
    location.reload()
    return new Promise(() => {})
  }
}

function mayReload(): boolean {
  try {
    const now = Date.now()
    if (now - Number(sessionStorage.getItem(RELOADED_KEY)) < RELOAD_AGAIN_MS) return false
    sessionStorage.setItem(RELOADED_KEY, String(now))
    return true
  } catch {
    return false
  }
}
