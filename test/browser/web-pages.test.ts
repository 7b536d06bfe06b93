import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
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
  const backups = {
    BACKUP_BUCKET: 'backups',
    BACKUP_ENDPOINT: 'http://127.0.0.1:9',
    BACKUP_KEY: 'a-backup-key-of-the-tests-that-is-long-enough',
    BACKUP_ACCESS_KEY_ID: 'test',
    BACKUP_SECRET_ACCESS_KEY: 'test',
  }
  cp = await startControlPlane({ working: true, environment: { OPERATOR_ORG: operatorOrg, ...backups } })
  browser = await openBrowser()
  admin = cp.person()
  await admin.signUp({ email: 'admin@example.org' })
  await makeFirstAdmin(cp, operatorOrg, admin)
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
  ['daemon', () => '/organizations/alder/host', /./],
  ['settings', () => '/organizations/alder/settings', /./],
  ['organization audit', () => '/organizations/alder/audit', /./],
  ['console', () => '/admin', '40 daemons, 2 need you'],
  ['console, filtered to nothing', () => '/admin?q=nobody', '40 daemons, 2 need you'],
  ['one daemon', () => `/admin/organizations/${fleet[0]!.orgId}`, /./],
  ['organizations', () => '/admin/organizations', 'Organizations'],
  ['people', () => '/admin/people', 'People'],
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

/** Further states of pages, and how to reach them. */
const states: [name: string, path: string, enter: (page: Page) => Promise<unknown>][] = [
  ['loading', '/', (page) => page.getByText('Loading your vaults…').waitFor()],
  ['failed', '/', (page) => page.getByRole('alert').waitFor()],
  ['offline', '/organizations/alder/members', enterOffline],
  ['nothing here', '/organizations/nobody', (page) => page.getByText('This page does not exist').waitFor()],
  ['account menu', '/', (page) => page.getByRole('button', { name: /^Account/ }).click()],
  ['key dialog', '/organizations/alder/host', (page) => page.getByRole('button', { name: 'Rotate key' }).click()],
  ['danger', '/organizations/alder/settings', (page) => page.getByRole('button', { name: 'Delete org' }).click()],
  ['spent link', '/invitations/inv_gone', (page) => page.getByRole('heading', { name: 'You are invited' }).waitFor()],
  ['new rollout', '/admin/rollouts', (page) => page.getByRole('button', { name: 'New rollout' }).click()],
  ['limits', '/admin/organizations', enterLimits],
  ['many at once', '/admin', enterSelection],
  ['sign-in', '/sign-in', (page) => page.getByRole('heading', { name: 'Sign in' }).waitFor()],
  ['sign-up', '/sign-up', (page) => page.getByRole('heading', { name: 'Create your account' }).waitFor()],
  ['forgotten password', '/forgotten-password', (page) => page.getByLabel('E-mail').waitFor()],
]

async function enterOffline(page: Page) {
  await page.getByText('One person').waitFor()
  await page.context().setOffline(true)
  await page.getByText('You are offline').waitFor()
}

async function enterLimits(page: Page) {
  await page
    .getByRole('button', { name: /^Limits of/ })
    .first()
    .click()
  await page.getByRole('dialog').getByLabel('Connections of its daemon').waitFor()
}

async function enterSelection(page: Page) {
  await page.getByRole('button', { name: /^Select all/ }).click()
  await page.getByRole('button', { name: 'Check storage' }).click()
  await page.getByRole('dialog', { name: 'Check storage: 40 daemons' }).waitFor()
}

test.each(states)('%s: nothing for axe in the dark and on a phone', async (name, path, enter) => {
  verifies('app.accessible')
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
  if (!path.startsWith('/sign-') && !path.startsWith('/forgotten'))
    await context.addCookies([...admin.cookies].map(([cookie, value]) => ({ name: cookie, value, url: cp.origin })))
  const page = await context.newPage()
  const failure = { ok: false, error: { code: 'internal', message: 'No.', requestId: 'req_1' } }
  if (name === 'loading') await page.route('**/api/vaults', () => undefined)
  if (name === 'failed') await page.route('**/api/vaults', (route) => route.fulfill({ status: 500, json: failure }))
  await page.goto(cp.origin + path)
  await enter(page)
  if (pictures !== undefined)
    await page.screenshot({ path: `${pictures}/state-${name.replaceAll(' ', '-')}.png`, fullPage: true })
  expect(await accessibilityProblems(page)).toEqual([])
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(overflow).toBeLessThanOrEqual(0)
  await context.close()
})

test('one click acts on many daemons at once, and shows the result of each', async () => {
  verifies('admin.bulk')
  const context = await browser.newContext({ viewport: { width: 1280, height: 850 } })
  await context.addCookies([...admin.cookies].map(([name, value]) => ({ name, value, url: cp.origin })))
  const page = await context.newPage()
  await page.goto(`${cp.origin}/admin`)
  const [one, other] = [fleet[0]!, fleet[1]!]
  for (const { slug } of [one, other]) await page.getByRole('checkbox', { name: `Select ${slug}` }).check()
  await page.getByText('2 selected').waitFor()
  await page.getByRole('button', { name: 'Check storage' }).click()
  const dialog = page.getByRole('dialog', { name: 'Check storage: 2 daemons' })
  await dialog.getByLabel('Reason').fill('looking after the fleet')
  // One host responds and the other is offline; each shows its own result.
  const answers: Record<string, object> = {
    [one.orgId]: {
      status: 200,
      json: { ok: true, storage: { usedBytes: 1, freeBytes: 2, capacityBytes: 3 }, woke: false },
    },
    [other.orgId]: { status: 503, json: { ok: false, error: { code: 'daemon_offline', message: 'Offline.' } } },
  }
  const asked: string[] = []
  await page.route('**/storage/check', (route) => {
    const [orgId] = Object.keys(answers).filter((id) => route.request().url().includes(id))
    asked.push((route.request().postDataJSON() as { operationId: string }).operationId)
    return route.fulfill(answers[orgId!]!)
  })
  await dialog.getByRole('button', { name: 'Check storage' }).click()
  await dialog.getByText('1 B used').waitFor()
  await dialog.getByRole('alert').waitFor()
  answers[other.orgId] = answers[one.orgId]!
  await dialog.getByRole('button', { name: 'Try the rest again' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
  // Only the failed operation is repeated, with the same id, so that nothing is done twice.
  expect([asked.length, new Set(asked).size]).toEqual([3, 2])
  await context.close()
})

test('what becomes of each stays shown when the filtered list loses all rows meanwhile', async () => {
  verifies('admin.bulk')
  const context = await browser.newContext({ viewport: { width: 1280, height: 850 } })
  await context.addCookies([...admin.cookies].map(([name, value]) => ({ name, value, url: cp.origin })))
  const page = await context.newPage()
  const checked = Promise.withResolvers<void>()
  let isEmpty = false
  await page.route(/\/api\/admin\/managed-daemons\?/, (route) =>
    isEmpty ? route.fulfill({ json: { ok: true, daemons: [], total: 0 } }) : route.continue(),
  )
  await page.route('**/storage/check', async (route) => {
    isEmpty = true
    await checked.promise
    await route.fulfill({ status: 503, json: { ok: false, error: { code: 'daemon_offline', message: 'Offline.' } } })
  })
  await page.goto(`${cp.origin}/admin?standing=running`)
  await page.getByRole('checkbox', { name: `Select ${fleet[4]!.slug}` }).check()
  await page.getByRole('button', { name: 'Check storage' }).click()
  const dialog = page.getByRole('dialog', { name: 'Check storage: 1 daemon' })
  await dialog.getByLabel('Reason').fill('looking after the fleet')
  await dialog.getByRole('button', { name: 'Check storage' }).click()
  await page.getByText('None found').waitFor()
  expect(await dialog.count()).toBe(1)
  checked.resolve()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await context.close()
})

test('an admin chooses how often the daemon is backed up, and may go back to the default of the platform', async () => {
  verifies('backup.interval-chosen')
  const { orgId, slug } = fleet[4]!
  const member = { organizationId: orgId, userId: admin.id, role: 'admin' as const, createdAt: systemClock.now() }
  await cp.db
    .insertInto('member')
    .values({ id: newId('mem_'), ...member })
    .execute()
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
  await context.addCookies([...admin.cookies].map(([name, value]) => ({ name, value, url: cp.origin })))
  const page = await context.newPage()
  const field = page.getByLabel('Back up every')
  const isStored = (wanted: { everySeconds: number; from: string }) =>
    until('the choice is stored', async () => {
      const { body } = await admin.get(`/api/orgs/${slug}/hosted/status`)
      const backup = body?.status?.backup
      return backup?.everySeconds === wanted.everySeconds && backup?.from === wanted.from
    })

  await page.goto(`${cp.origin}/organizations/${slug}/host`)
  await field.getByRole('option', { name: '1 day (default of the platform)' }).waitFor({ state: 'attached' })
  await field.selectOption('6 hours')
  await isStored({ everySeconds: 21_600, from: 'organization' })
  await page.reload()
  await field.getByRole('option', { name: '6 hours', selected: true }).waitFor({ state: 'attached' })
  if (pictures !== undefined) await page.screenshot({ path: `${pictures}/backup-interval.png`, fullPage: true })
  expect(await accessibilityProblems(page)).toEqual([])
  await field.selectOption('Default of the platform')
  await isStored({ everySeconds: 86_400, from: 'platform' })
  await context.close()
})

test('the console lists what needs attention, links to it and offers what solves it', async () => {
  verifies('admin.overview')
  const context = await browser.newContext({ viewport: { width: 1280, height: 850 } })
  await context.addCookies([...admin.cookies].map(([name, value]) => ({ name, value, url: cp.origin })))
  const page = await context.newPage()
  await page.goto(`${cp.origin}/admin`)
  const list = page.getByRole('region', { name: 'Need attention' })
  await list.getByRole('link', { name: fleet[0]!.slug, exact: true }).click()
  await page.getByRole('heading', { level: 1, name: fleet[0]!.slug }).waitFor()
  await page.goBack()
  await list.getByRole('link', { name: `Grow storage: ${fleet[0]!.slug}` }).click()
  const grow = page.getByRole('dialog', { name: `Grow the storage of ${fleet[0]!.slug}` })
  await grow.getByLabel('New size').waitFor()
  await grow.getByRole('button', { name: 'Cancel' }).click()
  // A reload of this address must not open the dialog again.
  await page.waitForURL((url) => url.search === '' && url.pathname.endsWith(fleet[0]!.orgId))
  await grow.waitFor({ state: 'detached' })
  await page.goBack()
  await list.getByRole('link', { name: `Rotate connection key: ${fleet[1]!.slug}` }).click()
  await page.getByRole('dialog', { name: `Rotate the connection key of ${fleet[1]!.slug}` }).waitFor()
  await page.goBack()
  await page.getByLabel('Standing').selectOption('attention')
  await page.getByText('2 organizations').waitFor()
  await context.close()
})

test.each([
  ['administration', '/admin/audit'],
  ['an organization', '/organizations/alder/audit'],
])('a phone shows the whole tab of the open page: %s', async (_name, path) => {
  verifies('app.accessible')
  const context = await browser.newContext({ viewport: { width: 320, height: 844 } })
  await context.addCookies([...admin.cookies].map(([name, value]) => ({ name, value, url: cp.origin })))
  const page = await context.newPage()
  await page.goto(cp.origin + path)
  const tab = page.locator('.tabs [aria-current="page"]', { hasText: 'Audit' })
  await tab.waitFor()
  // Wait: the fonts change the width of the row, and the browser scrolls in a later frame.
  await page.waitForFunction(() => {
    const shown = document.querySelector('.tabs [aria-current]')?.getBoundingClientRect()
    const row = document.querySelector('.tabs')?.getBoundingClientRect()
    return (
      document.fonts.status === 'loaded' &&
      shown !== undefined &&
      row !== undefined &&
      Math.floor(shown.left) >= Math.floor(row.left) &&
      Math.floor(shown.right) <= Math.ceil(row.right)
    )
  })
  await context.close()
})
