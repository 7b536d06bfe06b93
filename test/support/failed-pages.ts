import type { BrowserContext, Page } from 'playwright-core'
import { afterEach } from 'vitest'

// What the open pages show when a test of them fails, because a failure on a busy machine seldom happens again.

const MOST_TEXT = 3_000
const MOST_EVENTS = 40
const PATIENCE_MS = 5_000

const events = new Map<Page, string[]>()

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

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return
  for (const [page, seen] of events) {
    const shown = await Promise.race([
      page.locator('body').ariaSnapshot({ timeout: PATIENCE_MS }),
      new Promise<string>((resolve) => setTimeout(() => resolve('the page does not answer'), 2 * PATIENCE_MS)),
    ]).catch(String)
    console.error(`-- ${task.name}\n${page.url()}\n${shown.slice(0, MOST_TEXT)}\n${seen.join('\n')}`)
  }
})
