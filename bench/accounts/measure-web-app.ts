import { openBrowser } from '../../test/support/browser.ts'
import { alternate, printTable, spread } from '../rounds.ts'

type Measured = { origin: string; bareOrigin: string; cookie: string; rounds: number }
type Loaded = { paintMs: number; scriptBytes: number; styleBytes: number; fontBytes: number; requests: number }

/** First paint and size of pages of the web app, each opened in a browser without a cache. */
export async function measureWebApp({ origin, bareOrigin, cookie, rounds }: Measured): Promise<void> {
  const browser = await openBrowser()
  const cookies = cookie.split('; ').map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return { name, value: value.join('='), url: origin }
  })
  const sizes: Record<string, Loaded> = {}
  const pages: Record<string, { url: string; signedIn: 'yes' | 'no' }> = {
    'an empty page': { url: `${bareOrigin}/`, signedIn: 'no' },
    'sign-in': { url: `${origin}/sign-in`, signedIn: 'no' },
    home: { url: `${origin}/`, signedIn: 'yes' },
  }

  const open = (name: string) => async () => {
    const { url, signedIn } = pages[name]!
    const context = await browser.newContext({ bypassCSP: true })
    if (signedIn === 'yes') await context.addCookies(cookies)
    const page = await context.newPage()
    await page.goto(url, { waitUntil: 'load' })
    await page.waitForFunction('performance.getEntriesByName("first-contentful-paint").length > 0')
    sizes[name] = (await page.evaluate(`(() => {
      const loaded = performance.getEntriesByType('resource')
      const bytes = (pattern) => loaded.filter(({ name }) => pattern.test(new URL(name).pathname))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
      return { paintMs: performance.getEntriesByName('first-contentful-paint')[0].startTime,
        scriptBytes: bytes(/\\.js$/), styleBytes: bytes(/\\.css$/), fontBytes: bytes(/\\.woff2$/), requests: loaded.length }
    })()`)) as Loaded
    await context.close()
    return sizes[name].paintMs
  }

  const paints = await alternate(Object.fromEntries(Object.keys(pages).map((name) => [name, open(name)])), rounds)
  await browser.close()
  const kb = (bytes: number) => `${(bytes / 1024).toFixed(0)} KB`
  printTable(
    ['nothing cached', 'first paint, median', 'lowest – highest', 'scripts', 'styles', 'fonts', 'requests'],
    Object.keys(pages).map((name) => {
      const { median, min, max } = spread(paints[name]!)
      const { scriptBytes, styleBytes, fontBytes, requests } = sizes[name]!
      const loaded = [kb(scriptBytes), kb(styleBytes), kb(fontBytes), requests]
      return [name, `${median.toFixed(0)} ms`, `${min.toFixed(0)} – ${max.toFixed(0)} ms`, ...loaded]
    }),
  )
}
