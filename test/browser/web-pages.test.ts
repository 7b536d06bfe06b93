import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { mintSetupLink } from '../../control-plane/src/setup/setup-link.ts'
import { setupRepository } from '../../control-plane/src/setup/setup.repository.ts'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { addFleet } from '../support/some-fleet.ts'
import type { Person } from '../support/person.ts'
import { until } from '../support/until.ts'

const operatorOrg = newId('org_')
const pictures = process.env['SVC_TEST_PICTURES']
let cp: TestControlPlane
let browser: Browser
let admin: Person
let fleet: { orgId: string; slug: string }[]

beforeAll(async () => {
  cp = await startControlPlane({ working: true, environment: { OPERATOR_ORG: operatorOrg } })
  browser = await openBrowser()
  admin = cp.person()
  await admin.signUp({ email: 'admin@example.org' })
  const link = await mintSetupLink({ setup: setupRepository(cp.db, systemClock), operatorOrg, baseUrl: cp.origin })
  await admin.post('/api/setup/claim', { token: new URL(link!).hash.slice(1) })
  await admin.post('/api/provisioning/orgs/self-hosted', { name: 'Alder & Finch', slug: 'alder' })
  fleet = await addFleet(cp, 40)
  const listed = async () => (await admin.get('/api/admin/managed-daemons?limit=1')).body.total
  await until('the fleet is listed', async () => (await listed()) === 40)
})
afterAll(async () => {
  await browser?.close()
  await cp?.stop()
})

const looks = [
  { name: 'light', viewport: { width: 1280, height: 850 }, colorScheme: 'light' },
  { name: 'dark', viewport: { width: 1280, height: 850 }, colorScheme: 'dark' },
  { name: 'phone', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
] as const
const pages: [name: string, path: () => string, heading: string | RegExp][] = [
  ['home', () => '/', /./],
  ['profile', () => '/profile', /./],
  ['new organization', () => '/organizations/new', /./],
  ['vaults', () => '/organizations/alder', /./],
  ['members', () => '/organizations/alder/members', /./],
  ['agents', () => '/organizations/alder/agents', /./],
  ['daemon', () => '/organizations/alder/daemon', /./],
  ['settings', () => '/organizations/alder/settings', /./],
  ['organization audit', () => '/organizations/alder/audit', /./],
  ['console', () => '/admin', '40 daemons, 2 need you'],
  ['console, filtered to nothing', () => '/admin?q=nobody', '40 daemons, 2 need you'],
  ['one daemon', () => `/admin/organizations/${fleet[0]!.orgId}`, /./],
  ['rollouts', () => '/admin/rollouts', 'Rollouts'],
  ['claims', () => '/admin/claims', /./],
  ['platform audit', () => '/admin/audit', /./],
]

describe.each(looks)('$name', ({ name, viewport, colorScheme }) => {
  let context: BrowserContext
  let page: Page
  const problems: string[] = []

  beforeAll(async () => {
    context = await browser.newContext({ viewport, colorScheme })
    const cookies = [...admin.cookies].map(([cookie, value]) => ({ name: cookie, value, url: cp.origin }))
    await context.addCookies(cookies)
    page = await context.newPage()
    page.setDefaultTimeout(20_000)
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text())
    })
  })
  afterAll(() => context.close())

  test.each(pages)('%s: nothing for axe, no error, no sideways scrolling', async (title, path, heading) => {
    verifies('app.accessible')
    problems.length = 0
    await page.goto(cp.origin + path())
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    await page.waitForFunction(() => document.querySelector('.loading') === null)
    await page.waitForFunction(() => document.fonts.status === 'loaded')
    if (pictures !== undefined)
      await page.screenshot({ path: `${pictures}/${title.replaceAll(/\W+/g, '-')}-${name}.png`, fullPage: true })
    expect(await accessibilityProblems(page)).toEqual([])
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    expect(problems).toEqual([])
  })
})

test('the console names what needs somebody and leads to it', async () => {
  verifies('admin.overview')
  const context = await browser.newContext({ viewport: { width: 1280, height: 850 } })
  await context.addCookies([...admin.cookies].map(([name, value]) => ({ name, value, url: cp.origin })))
  const page = await context.newPage()
  await page.goto(`${cp.origin}/admin`)
  const list = page.getByRole('region', { name: 'Need attention' })
  await list.getByRole('link', { name: fleet[0]!.slug }).click()
  await page.getByRole('heading', { level: 1, name: fleet[0]!.slug }).waitFor()
  await page.goBack()
  await page.getByLabel('Standing').selectOption('attention')
  await page.getByText('2 organizations').waitFor()
  await context.close()
})
