import { chromium, type Browser } from 'playwright-core'
import { chromiumProgram } from './chromium.ts'
import { lookBeforeClosing, rememberPages } from './failed-pages.ts'
import { PATIENCE_MS } from './until.ts'

// Containers do not allow a sandbox, and tests only use loopback, so calls to the vendor are off. The rules of the web
// (same origin, site isolation) stay on, because tests attack them.
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
]

/** Opens headless Chromium. Its pages wait as long as `until` does, instead of Playwright's 30 seconds. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ ...(await chromiumProgram()), args: ARGS, headless: true })
  const newContext = browser.newContext.bind(browser)
  // `browser.newPage` also calls this method.
  browser.newContext = async (options) => {
    const context = await newContext(options)
    context.setDefaultTimeout(PATIENCE_MS)
    rememberPages(context)
    return context
  }
  lookBeforeClosing(browser)
  return browser
}
