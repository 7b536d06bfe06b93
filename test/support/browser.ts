import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

// No sandbox of its own inside containers, and no calls home: tests talk to loopback alone.
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

/** Opens headless Chromium: CHROMIUM_PATH, the system's, or the compressed one that npm brings. */
export async function openBrowser(): Promise<Browser> {
  const installed = [process.env.CHROMIUM_PATH, ...INSTALLED].find((path) => path !== undefined && existsSync(path))
  if (installed) return chromium.launch({ executablePath: installed, args: ARGS, headless: true })

  const { default: packaged } = await import('@sparticuz/chromium')
  const args = packaged.args.filter((arg) => !['--single-process', '--no-zygote'].includes(arg))
  return chromium.launch({ executablePath: await packaged.executablePath(), args: [...args, ...ARGS], headless: true })
}
