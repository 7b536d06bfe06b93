import { chromium, type Browser } from 'playwright-core'
import { chromiumProgram } from './chromium.ts'
import { PATIENCE_MS } from './until.ts'

// No sandbox of its own inside containers, and no calls home: tests talk to loopback alone. The rules of the web (same
// origin, site isolation) stay as they are in a person's browser: tests attack them.
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

/** Opens headless Chromium. Its pages wait for as long as `until` does: Playwright would give up after 30 seconds. */
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
