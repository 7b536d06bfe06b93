import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

type Options = BrowserContextOptions & { troubles: string[] }

/**
 * Opens a page of a new visitor in a window in which tree, note and panel have room. Adds to `troubles` what its scripts
 * throw and what its policy blocks.
 */
export async function openPage(browser: Browser, { troubles, ...options }: Options): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options })
  page.on('pageerror', (error) => troubles.push(error.message))
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) troubles.push(message.text())
  })
  return page
}
