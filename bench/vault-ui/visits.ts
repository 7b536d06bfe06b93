import type { Browser, Page } from 'playwright-core'

export type Visit = {
  /** Milliseconds from the start of the navigation to the first paint of text. */
  firstPaint(address: string): Promise<number>
  /** Milliseconds to the first element that matches. */
  until(address: string, selector: string): Promise<number>
  /** Milliseconds from the button for editing to the text in the editor. */
  untilEdited(address: string): Promise<number>
  /** The longest task of the page so far, in milliseconds. */
  longestTask(): Promise<number>
}

/** Opens pages in a browser without a cache. */
export function visitsOf(browser: Browser) {
  return {
    async visit(measure: (visit: Visit) => Promise<number>): Promise<number> {
      const context = await browser.newContext({ bypassCSP: true, viewport: { width: 1280, height: 800 } })
      const page = await context.newPage()
      await page.addInitScript(watchTasks)
      try {
        return await measure(visitOf(page))
      } finally {
        await context.close()
      }
    },
  }
}

function visitOf(page: Page): Visit {
  const now = () => page.evaluate(() => performance.now())
  return {
    async firstPaint(address) {
      await page.goto(address, { waitUntil: 'load' })
      const paint = await page.waitForFunction(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
      )
      return (await paint.jsonValue())!
    },
    async until(address, selector) {
      await page.goto(address, { waitUntil: 'commit' })
      await page.waitForSelector(selector, { state: 'attached' })
      return now()
    },
    async untilEdited(address) {
      await page.goto(address)
      await page.locator('.reading').waitFor()
      await page.waitForLoadState('networkidle')
      await page.evaluate(() => (window.longestTask = 0))
      const from = await now()
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByRole('textbox', { name: 'Note text' }).waitFor()
      return (await now()) - from
    },
    longestTask: () => page.evaluate(() => window.longestTask),
  }
}

declare global {
  interface Window {
    longestTask: number
  }
}

function watchTasks(): void {
  window.longestTask = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longestTask = Math.max(window.longestTask, duration)
  }).observe({ type: 'longtask', buffered: true })
}
