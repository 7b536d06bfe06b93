import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe } from 'vitest'
import type { Svcd } from '../../support/svcd.ts'
import { expectNothingRan, watchPages, type Watch } from './expect-nothing-ran.ts'

/** A page in which hostile texts are shown. */
export type HostilePage = {
  /** Without the CSP, nothing but the page itself makes hostile texts harmless. */
  bypassCSP: boolean
  page(): Page
  nothingRan(where: string): Promise<void>
}

/** Runs the same tests with and without the CSP of the page, because neither defence may depend on the other. */
export function eachPolicy(
  started: () => { browser: Browser; svcd: Svcd },
  tests: (hostile: HostilePage) => void,
): void {
  describe.each([
    ['under the policy of the page', { bypassCSP: false }],
    ['without a policy', { bypassCSP: true }],
  ])('%s', (_how, { bypassCSP }) => {
    let context: BrowserContext
    let page: Page
    let watch: Watch

    beforeAll(async () => {
      const { browser, svcd } = started()
      context = await browser.newContext({ bypassCSP, viewport: { width: 1280, height: 800 } })
      watch = await watchPages(context, svcd.url)
      page = await context.newPage()
      // A text that is not saved yet must not keep the page from the next one.
      page.on('dialog', (dialog) => void (dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss()))
    })
    afterAll(() => context?.close())

    tests({ bypassCSP, page: () => page, nothingRan: (where) => expectNothingRan(page, { where, watch }) })
  })
}

/** Returns a function that arms texts: it replaces HIT in each text by a call with the number of that text. */
export function arming(): (text: string) => string {
  let payloads = 0
  return (text) => {
    payloads++
    return text.replaceAll('HIT', `hit(${payloads})`)
  }
}
