import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

type Options = BrowserContextOptions & { troubles: string[] }

/**
 * Opens a page for a new visitor, in a window that is wide enough for tree, note and panel. Adds script errors and
 * policy violations to `troubles`.
 */
export async function openPage(browser: Browser, { troubles, ...options }: Options): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options })
  page.on('pageerror', (error) => troubles.push(error.message))
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) troubles.push(message.text())
  })
  return page
}
