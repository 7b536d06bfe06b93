import { chromium, type Browser } from 'playwright-core'
import { chromiumProgram } from './chromium.ts'
import { PATIENCE_MS } from './until.ts'

// No sandbox, which containers do not allow, and no calls to its vendor: tests only use loopback. The rules of the
// web (same origin, site isolation) stay on, because tests attack them.
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

/** Opens headless Chromium. Its pages wait as long as `until` does; Playwright would give up after 30 seconds. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ ...(await chromiumProgram()), args: ARGS, headless: true })
  const newContext = browser.newContext.bind(browser)
  // `newPage` opens its context by this method too.
  browser.newContext = async (options) => {
    const context = await newContext(options)
    context.setDefaultTimeout(PATIENCE_MS)
    return context
  }
  return browser
}
