import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import { intercept } from '../support/intercept.ts'
import type { Person } from '../support/person.ts'
import { until } from '../support/until.ts'

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
})
beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1280, height: 850 } })
  await context.addCookies([...admin.cookies].map(([name, value]) => ({ name, value, url: cp.origin })))
  page = await context.newPage()
})
afterEach(() => context.close())
afterAll(async () => {
  await browser?.close()
  await cp?.stop()
})

const word = (text: string) => page.locator('.live-age [role=status]', { hasText: text }).waitFor()
const age = async () => Number(/(\d+) s ago/.exec((await page.locator('.live-age').textContent()) ?? '')?.[1])
const picture = async (name: string) => {
  if (pictures !== undefined) await page.screenshot({ path: `${pictures}/live-age-${name}.png` })
}

test('the head of the console says that it is live, also while the events alone say that nothing changes', async () => {
  verifies('web.freshness')
  let readAt = systemClock.monotonic()
  page.on('response', (response) => {
    if (response.url().includes('/api/admin/')) readAt = systemClock.monotonic()
  })
  await page.goto(`${cp.origin}/admin/claims`)
  await word('Live')
  // The page reads again only every 30 seconds, so a low age must come from the event stream.
  await until('it is younger than its last read', async () => {
    return systemClock.monotonic() - readAt > 8_000 && (await age()) < 6
  })
  await word('Live')
  expect(await accessibilityProblems(page)).toEqual([])
  await picture('live')
})

test('it says how old the page is when events and reads stop, and is live again afterwards', async () => {
  verifies('web.freshness')
  await page.route('**/api/events', (route) => route.fulfill({ status: 503, body: '' }))
  await page.goto(`${cp.origin}/admin/claims`)
  await word('Live')
  const pass = await intercept(page, '**/api/admin/**', (route) => route.abort())
  await word('Reconnecting')
  expect(await age()).toBeGreaterThan(9)
  await picture('reconnecting')
  pass()
  await word('Live')
})

test('it says offline at once; screen readers hear the state alone, not its age', async () => {
  verifies('web.freshness', 'web.offline')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${cp.origin}/admin`)
  await word('Live')
  await context.setOffline(true)
  await word('Offline')
  const spoken = await page.locator('[role=status], [aria-live]').allTextContents()
  expect(spoken.join()).not.toMatch(/\d+ (?:s|min|h) ago/)
  expect(await accessibilityProblems(page)).toEqual([])
  await picture('offline')
})
