import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, type RunnerTestSuite } from 'vitest'

// What the open pages show when a test of them fails, because a failure on a busy machine seldom happens again.

const MOST_TEXT = 3_000
const MOST_EVENTS = 40
const PATIENCE_MS = 5_000

const events = new Map<Page, string[]>()
/** What the pages showed that were open when their browser was closed. */
const lastShown: string[] = []

/** Remembers the pages of a context and what happens in them, until they are closed. */
export function rememberPages(context: BrowserContext): void {
  context.on('page', (page) => {
    const seen: string[] = []
    events.set(page, seen)
    const note = (what: string) => {
      seen.push(`${new Date().toISOString()} ${what}`)
      if (seen.length > MOST_EVENTS) seen.shift()
    }
    page.on('pageerror', ({ message }) => note(`error: ${message}`))
    page.on('console', (message) => note(`${message.type()}: ${message.text().slice(0, 300)}`))
    page.on('requestfailed', (request) => note(`failed: ${request.url()} ${request.failure()?.errorText ?? ''}`))
    page.on('framenavigated', (frame) => note(`navigated: ${frame.url()}`))
    page.on('crash', () => note('crashed'))
    page.on('close', () => events.delete(page))
  })
}

/** Looks at the open pages of a browser before it is closed, for the case that a hook has failed. */
export function lookBeforeClosing(browser: Browser): void {
  const close = browser.close.bind(browser)
  browser.close = async (options) => {
    for (const context of browser.contexts()) for (const page of context.pages()) lastShown.push(await shownBy(page))
    await close(options)
  }
}

async function shownBy(page: Page): Promise<string> {
  const shown = await Promise.race([
    page.locator('body').ariaSnapshot({ timeout: PATIENCE_MS }),
    new Promise<string>((resolve) => setTimeout(() => resolve('the page does not answer'), 2 * PATIENCE_MS)),
  ]).catch(String)
  return `${page.url()}\n${shown.slice(0, MOST_TEXT)}\n${(events.get(page) ?? []).join('\n')}`
}

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return
  for (const page of events.keys()) console.error(`-- ${task.name}\n${await shownBy(page)}`)
})

const hasFailedHook = ({ result, tasks }: Readonly<RunnerTestSuite>): boolean =>
  (result?.errors ?? []).length > 0 || tasks.some((task) => task.type === 'suite' && hasFailedHook(task))

// The first one in the file, so that it runs after those that close the browser.
// eslint-disable-next-line no-empty-pattern -- Vitest requires a pattern here
afterAll(({}, suite) => {
  if (!hasFailedHook(suite)) return
  for (const shown of lastShown) console.error(`-- ${suite.name}\n${shown}`)
})
