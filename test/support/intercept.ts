import type { Page, Route } from 'playwright-core'

/**
 * Handles the requests of a page to `url` until the returned function is called; from then on they pass. The route
 * itself stays, because Chromium can lose a request that is in flight while interception is switched off: `times` and
 * `unroute` of Playwright do that.
 */
export async function intercept(page: Page, url: string, handle: (route: Route) => Promise<void>): Promise<() => void> {
  let isOn = true
  await page.route(url, (route) => (isOn ? handle(route) : route.fallback()))
  return () => {
    isOn = false
  }
}
