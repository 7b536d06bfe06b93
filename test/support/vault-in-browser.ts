import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { openBrowser } from './browser.ts'
import { startSvcd, type Svcd } from './svcd.ts'
import { homeWith } from './vault-home.ts'
import { openPage } from './vault-page.ts'

/**
 * Gives the tests of a file one daemon with these files, and each test the page of a new visitor. After the last test,
 * fails if a script threw or a policy blocked something.
 */
export function vaultInBrowser(files: Parameters<typeof homeWith>[0], options: BrowserContextOptions = {}) {
  const troubles: string[] = []
  let browser: Browser | undefined
  let svcd: Svcd | undefined
  let page: Page | undefined

  beforeAll(async () => {
    svcd = await startSvcd({ home: await homeWith(files) })
    browser = await openBrowser()
  })

  beforeEach(async () => {
    await page?.close()
    page = await openPage(browser!, { troubles, ...options })
  })

  afterAll(async () => {
    await browser?.close()
    await svcd?.remove()
    expect(troubles).toEqual([])
  })

  return { now: (): { svcd: Svcd; page: Page } => ({ svcd: svcd!, page: page! }) }
}
