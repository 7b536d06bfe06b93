const RELOADED_KEY = 'svc.reloaded'
const RELOAD_AGAIN_MS = 60_000
const TRIES = 3

/**
 * Loads a part of the app that is not in its first files. A browser remembers that a part failed, so asking for it again
 * needs a new page: as soon as the server answers, the page loads anew at the same address. It then finds the part, those
 * of a newer build, or the sign-in where the session has ended. It does so at most once a minute; otherwise, and without
 * a server, the failure goes to the caller.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (!(await serverAnswers()) || !mayReload()) throw error
    location.reload()
    return new Promise(() => {})
  }
}

async function serverAnswers(): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined)
    if (answer !== undefined) return true
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
  return false
}

function mayReload(): boolean {
  try {
    const now = performance.timeOrigin + performance.now()
    if (now - Number(sessionStorage.getItem(RELOADED_KEY)) < RELOAD_AGAIN_MS) return false
    sessionStorage.setItem(RELOADED_KEY, String(now))
    return true
  } catch {
    return false
  }
}
