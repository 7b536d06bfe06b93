import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import type { Person } from '../support/person.ts'
import { addFleet } from '../support/some-fleet.ts'
import { until } from '../support/until.ts'

const operatorOrg = newId('org_')
const pictures = process.env['SVC_TEST_PICTURES']
// Two writing directions, characters beyond the basic plane, and a word that fits on no line.
const LONG = 'Vereinigung مكتبة الأرشيف 📚 Donaudampfschifffahrtselektrizitätenhauptbetriebswerk'
const NAME = 'Grace 👩‍💻 הופר Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamte'
let cp: TestControlPlane
let browser: Browser
let admin: Person
let invitation: string

beforeAll(async () => {
  cp = await startControlPlane({ working: true, environment: { OPERATOR_ORG: operatorOrg } })
  browser = await openBrowser()
  admin = cp.person()
  await admin.signUp({ email: 'admin@example.org' })
  await makeFirstAdmin(cp, operatorOrg, admin)
  await admin.patch('/api/settings/profile', { name: NAME })
  const { body } = await admin.post('/api/provisioning/orgs/self-hosted', { name: LONG, slug: 'long' })
  const organizationId = body.organization.id as string
  await admin.post('/api/auth/organization/invite-member', {
    organizationId,
    email: 'guest@example.org',
    role: 'member',
  })
  invitation = (await cp.mailTo('guest@example.org', 'invitation')).link
  await addFleet(cp, 1)
  await until(
    'the fleet is listed',
    async () => (await admin.get('/api/admin/managed-daemons?limit=1')).body.total === 1,
  )
})
afterAll(async () => {
  await browser?.close()
  await cp?.stop()
})

/**
 * Texts in pictures that are smaller than 12 px on the screen. A picture shrinks with the page, and so does its text.
 */
const smallWords = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('svg text')]
      .map((text) => {
        const scale = (text as SVGTextElement).getScreenCTM()?.a ?? 1
        return { words: text.textContent, pixels: parseFloat(getComputedStyle(text).fontSize) * scale }
      })
      .filter(({ pixels }) => pixels < 12),
  )

const pages: [name: string, path: () => string, who: 'admin' | 'guest'][] = [
  ['invitation', () => new URL(invitation).pathname + new URL(invitation).hash, 'guest'],
  ['home', () => '/', 'admin'],
  ['members', () => '/organizations/long/members', 'admin'],
  ['daemon', () => '/organizations/long/host', 'admin'],
  ['settings', () => '/organizations/long/settings', 'admin'],
  ['audit', () => '/organizations/long/audit', 'admin'],
  ['profile', () => '/profile', 'admin'],
  ['console', () => '/admin', 'admin'],
  ['organizations', () => '/admin/organizations', 'admin'],
  ['people', () => '/admin/people', 'admin'],
]

test.each(pages)(
  '%s: names of 80 characters fit on a phone and on a desk, and axe finds nothing',
  async (name, path, who) => {
    verifies('app.accessible', 'web.long-names')
    for (const width of [390, 1280]) {
      const context = await browser.newContext({ viewport: { width, height: 850 } })
      const cookies = who === 'admin' ? [...admin.cookies] : []
      await context.addCookies(cookies.map(([cookie, value]) => ({ name: cookie, value, url: cp.origin })))
      const page = await context.newPage()
      await page.goto(cp.origin + path())
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForFunction(
        () => document.querySelector('.loading') === null && document.fonts.status === 'loaded',
      )
      if (name === 'invitation') await page.getByRole('button', { name: /^Create account and join/ }).waitFor()
      if (name === 'console') await page.locator('.day-chart text').first().waitFor()
      if (pictures !== undefined)
        await page.screenshot({ path: `${pictures}/long-${name}-${width}.png`, fullPage: true })
      expect(await accessibilityProblems(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
      expect(await smallWords(page)).toEqual([])
      if (name === 'home') {
        const row = await page.locator('.org-head').boundingBox()
        const manage = await page.getByRole('link', { name: `Manage ${LONG}` }).boundingBox()
        expect(row!.x + row!.width - (manage!.x + manage!.width), 'actions stand at the end').toBeLessThan(24)
      }
      await context.close()
    }
  },
)
