import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { startLoopbackSite, startPublicSite, startSuffixSite, type Site } from './hostile-page/sites.ts'
import { SECRETS, startVisit, type Visit } from './hostile-page/visit.ts'

// The effects that a page of a hostile daemon can have on cookies of other origins of the platform.

const NAMES = ['svc_entry', '__Host-svc_entry', '__Secure-svc_entry', 'svc_session', '__Host-svc_session']
const PLANTED = 'planted'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

/** Every domain that a page may try to set cookies for: none, its own, all above it, and the control plane's. */
function domainsOf(page: Page, { controlPlane }: Site): string[] {
  const labels = new URL(page.url()).hostname.split('.')
  const above = labels.map((_, index) => labels.slice(index).join('.'))
  return ['', ...above, new URL(controlPlane).hostname]
}

/** Sets cookies from the page, with every attribute that might carry them further. */
async function plant(page: Page, names: string[], domains: string[], value: string): Promise<void> {
  await page.evaluate(
    async ({ names, domains, value }) => {
      for (const name of names)
        for (const domain of domains)
          for (const path of ['/', '/api', '/v'])
            for (const more of ['', '; secure', '; secure; samesite=none', '; secure; samesite=none; partitioned']) {
              document.cookie = `${name}=${value}; path=${path}${domain === '' ? '' : `; domain=${domain}`}${more}`
              await cookieStore.set({ name, value, path, ...(domain === '' ? {} : { domain }) }).catch(() => {})
            }
    },
    { names, domains, value },
  )
}

/** Loads an address again, as the visitor would, and returns its text. */
async function visitAgain({ context }: Visit, address: string): Promise<{ status: number; text: string }> {
  const page = await context.newPage()
  const answer = await page.goto(address)
  const text = await page.locator('body').innerText()
  await page.close()
  return { status: answer?.status() ?? 0, text }
}

describe.each([
  ['on loopback', startLoopbackSite],
  ['in public', startPublicSite],
  ['below a public suffix', startSuffixSite],
])('%s', (_where, startSite) => {
  let site: Site
  let visit: Visit
  beforeAll(async () => {
    site = await startSite()
    visit = await startVisit(browser, site, { bypassCSP: false })
  })
  afterAll(async () => {
    await visit?.close()
    await site?.close()
  })

  const expectSessions = async () => {
    const { neighbour, controlPlane } = visit.targets
    expect(await visitAgain(visit, neighbour.text)).toEqual({ status: 200, text: SECRETS.neighbour })
    const settings = await visitAgain(visit, controlPlane.text)
    expect(settings.status).toBe(200)
    expect(settings.text).toContain(SECRETS.name)
  }

  test('cookies of the names of the platform leave the sessions of other origins alone', async () => {
    verifies('security.planted-cookies', 'security.entry-cookie')
    const sessions = (await visit.context.cookies()).map(({ name }) => name)
    await plant(visit.bait, [...new Set([...NAMES, ...sessions])], domainsOf(visit.bait, site), PLANTED)
    const planted = (await visit.context.cookies()).filter(({ value }) => value === PLANTED)
    const { hostname } = new URL(visit.bait.url())
    expect(planted.some(({ domain }) => domain === hostname)).toBe(true)
    // A leading dot: the cookie applies to subdomains, too.
    expect(planted.some(({ domain }) => domain !== hostname && domain !== `.${hostname}`)).toBe(site.vaultsAreOneSite)
    expect(planted.filter(({ name, domain }) => name.startsWith('__Host-') && domain !== hostname)).toEqual([])

    await expectSessions()
    const elsewhere = site.proxy.seen.filter(({ host }) => host === new URL(site.controlPlane).host)
    expect(elsewhere.filter(({ headers }) => headers.cookie?.includes(PLANTED))).toEqual([])
  })

  // If a browser counts all vaults as one site, such cookies reach all of them. Production therefore needs a public
  // suffix.
  if (startSite !== startPublicSite)
    test('any number of oversized cookies affects only the page that sets them', async () => {
      verifies('security.planted-cookies')
      const many = Array.from({ length: 60 }, (_, index) => `many-${index}`)
      const large = many.map((name) => `large-${name}`)
      await plant(visit.bait, many, domainsOf(visit.bait, site), 'x')
      await plant(visit.bait, large, domainsOf(visit.bait, site), 'x'.repeat(4_000))
      const kept = (await visit.context.cookies(visit.bait.url())).filter(({ name }) => large.includes(name))
      expect(kept.length).toBeGreaterThan(30)
      await expectSessions()
    })
})
