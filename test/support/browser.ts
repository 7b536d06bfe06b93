import { chromium, type Browser } from 'playwright-core'
import { chromiumProgram } from './chromium.ts'

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

/** Opens headless Chromium. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ ...(await chromiumProgram()), args: ARGS, headless: true })
}
