import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import { addLargeFleet, slugOf } from '../support/large-fleet.ts'
import type { Person } from '../support/person.ts'

const ORGANIZATIONS = 10_000
const operatorOrg = newId('org_')
const pictures = process.env['SVC_TEST_PICTURES']
let cp: TestControlPlane
let browser: Browser
let admin: Person
let context: BrowserContext
let page: Page

beforeAll(async () => {
  cp = await startControlPlane({ environment: { OPERATOR_ORG: operatorOrg } })
  browser = await openBrowser()
  admin = cp.person()
  await admin.signUp({ email: 'admin@example.org' })
  await makeFirstAdmin(cp, operatorOrg, admin)
  await addLargeFleet(cp.db, ORGANIZATIONS)
  context = await browser.newContext({ viewport: { width: 1280, height: 850 } })
  await context.addCookies([...admin.cookies].map(([name, value]) => ({ name, value, url: cp.origin })))
  page = await context.newPage()
}, 900_000)
afterAll(async () => {
  await context?.close()
  await browser?.close()
  await cp?.stop()
})

/** Moves the focus by Tab alone until it is on an element of that name. */
async function tabTo(name: string): Promise<void> {
  const focused = () =>
    page.evaluate(() => {
      const { activeElement: at } = document
      const label = at instanceof HTMLInputElement ? (at.labels?.[0]?.textContent ?? '') : ''
      return (at?.getAttribute('aria-label') ?? (label || at?.textContent) ?? '').trim()
    })
  for (let steps = 0; steps < 400; steps++) {
    if ((await focused()) === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`no Tab reaches ${name}; it stands on ${await focused()}`)
}
async function look(name: string): Promise<void> {
  if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true })
  expect(await accessibilityProblems(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
}
const row = (slug: string) => page.getByRole('row').filter({ hasText: slug }).first()

test('the console with 10,000 hosted organizations: axe finds nothing, and keys alone search, turn pages and open', async () => {
  verifies('app.accessible', 'admin.inventory-size')
  const since = systemClock.monotonic()
  await page.goto(`${cp.origin}/admin`)
  await row(slugOf(0)).waitFor()
  console.log(`first page of the inventory shown after ${Math.round(systemClock.monotonic() - since)} ms`)
  await page.getByRole('heading', { level: 1, name: /^10,000 daemons/ }).waitFor()
  await page.locator('.day-chart text').first().waitFor()
  await page.getByText('10,000 organizations', { exact: true }).waitFor()
  // Above 1,500 daemons the picture is a bar, in which the length of each part is its share.
  const asleep = page.locator('.fleet-bar .fleet-asleep')
  expect(await asleep.evaluate((part) => getComputedStyle(part).backgroundSize)).toBe('100% 38%')
  await look('console-size')

  await tabTo('Next page')
  await page.keyboard.press('Enter')
  await row(slugOf(50)).waitFor()
  await row(slugOf(0)).waitFor({ state: 'detached' })
  await look('console-size-page-2')

  await tabTo('Organization')
  await page.keyboard.type(slugOf(4_999))
  await page.keyboard.press('Enter')
  await row(slugOf(4_999)).waitFor()
  await page.getByText('One organization', { exact: true }).waitFor()
  await tabTo('Organization 4999')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Organization 4999' }).waitFor()
  await look('console-size-daemon')
})

test('the directory of 10,000 organizations: axe finds nothing, and keys alone turn pages and search', async () => {
  verifies('app.accessible', 'admin.inventory-size')
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 850 })
    await page.goto(`${cp.origin}/admin/organizations`)
    await row(slugOf(0)).waitFor()
    await look(`directory-size-${width}`)
  }
  await tabTo('Next page')
  await page.keyboard.press('Enter')
  await row(slugOf(0)).waitFor({ state: 'detached' })
  await look('directory-size-page-2')
})
