import { randomUUID } from 'node:crypto'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { intercept } from '../support/intercept.ts'
import type { Person } from '../support/person.ts'
import { until } from '../support/until.ts'

let cp: TestControlPlane
let browser: Browser
let context: BrowserContext
let page: Page
let admin: Person
let org: { id: string; slug: string }

const invite = (email: string) =>
  admin.post('/api/auth/organization/invite-member', { organizationId: org.id, email, role: 'member' })
const vault = { id: 'vlt_notes', slug: 'notes', displayName: 'Notes' }
const listed = ({ id, slug }: typeof org) => ({
  orgId: id,
  orgSlug: slug,
  orgName: 'Acme',
  daemonMode: 'self_hosted',
  state: 'available',
})
const heading = (name: string) => page.getByRole('heading', { level: 1, name })

beforeAll(async () => {
  cp = await startControlPlane({ environment: { MCP_ENABLED: '1' } })
  browser = await openBrowser()
  admin = cp.person()
  await admin.signUp({ email: 'admin@example.org' })
  org = (await admin.post('/api/provisioning/orgs/self-hosted', { name: 'Acme', slug: 'acme' })).body.organization
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

/** Opens a page and waits until its event stream is connected. */
async function openTold(path: string) {
  const told = page.waitForResponse((answer) => answer.url().endsWith('/api/events') && answer.status() === 200)
  await page.goto(cp.origin + path)
  await told
}

test('what changes elsewhere shows without a reload, in the page and in its title', async () => {
  verifies('web.live')
  await openTold('/organizations/acme/members')
  await heading('Acme').waitFor()
  await invite('new@example.org')
  await page.getByText('new@example.org').waitFor()
  await admin.post('/api/auth/organization/update', { organizationId: org.id, data: { name: 'Acme Ltd' } })
  await heading('Acme Ltd').waitFor()
  await page.waitForFunction(() => document.title === 'Members · Acme Ltd · svc')
})

test('a key that was rotated elsewhere shows', async () => {
  verifies('web.live')
  await openTold('/organizations/acme/host')
  await page.getByRole('button', { name: 'Rotate key' }).waitFor()
  const { body } = await admin.post(`/api/orgs/${org.id}/api-key/rotate`, { immediate: true })
  await page.getByText(`svc_dmn_…${(body.apiKey as string).slice(-4)}`).waitFor()
})

test('what hosts and programs count, which no event announces, is read again within two seconds', async () => {
  verifies('web.live-counts')
  let notes = 1
  await page.route('**/api/vaults', (route) =>
    route.fulfill({ json: { ok: true, organizations: [{ ...listed(org), vaults: [{ ...vault, notes }] }] } }),
  )
  const reads = { vaults: 0, integrations: 0 }
  page.on('response', (answer) => {
    if (answer.url().endsWith('/api/vaults')) reads.vaults += 1
    if (answer.url().endsWith('/integrations')) reads.integrations += 1
  })
  await page.clock.install()
  await openTold('/')
  await page.getByText('1 note', { exact: false }).waitFor()
  notes = 2
  await page.clock.runFor(2_100)
  await page.getByText('2 notes', { exact: false }).waitFor()

  await openTold('/organizations/acme/agents')
  await page.getByText('No program has asked yet').waitFor()
  const before = reads.integrations
  await page.clock.runFor(2_100)
  await until('it is read again', () => reads.integrations > before)
})

test('without the event stream the page polls', async () => {
  verifies('web.live-fallback')
  await page.route('**/api/events', (route) => route.fulfill({ status: 503, body: '' }))
  const twice = new Promise<void>((resolve) => {
    let asked = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/daemon/status') && ++asked > 2) resolve()
    })
  })
  await page.goto(`${cp.origin}/organizations/acme/host`)
  await page.getByText('Not connected', { exact: true }).waitFor()
  await twice
})

test('the page says that it is offline, keeps what it shows, and reads again afterwards', async () => {
  verifies('web.offline')
  await openTold('/organizations/acme/members')
  await page.getByRole('region', { name: 'Members' }).getByText('admin@example.org').waitFor()
  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  expect(await page.getByRole('region', { name: 'Members' }).getByText('admin@example.org').isVisible()).toBe(true)
  await invite('late@example.org')
  await context.setOffline(false)
  await page.getByText('late@example.org').waitFor()
  await page.getByText('You are offline').waitFor({ state: 'detached' })
})

test('a change whose read fails shows later, though the stream told of it only once', async () => {
  verifies('web.live')
  await openTold('/organizations/acme/members')
  await heading('Acme').waitFor()
  let failed = 0
  await page.route('**/api/settings', (route) => (failed++ === 0 ? route.abort() : route.continue()))
  await invite('unread@example.org')
  await page.getByText('unread@example.org').waitFor()
  await until('it is read again after the failure', () => failed > 1)
})

test('a page that cannot read the session says so steadily, and opens by itself when the server is back', async () => {
  verifies('web.live')
  let failed = 0
  const pass = await intercept(page, '**/api/settings', (route) => {
    failed += 1
    return route.fulfill({ status: 503, body: '' })
  })
  await page.goto(`${cp.origin}/organizations/acme/members`)
  const again = await page.getByRole('button', { name: 'Try again' }).elementHandle()
  const before = failed
  await until('the session is read again twice', () => failed >= before + 2)
  expect(await again?.evaluate(({ isConnected }) => isConnected)).toBe(true)
  pass()
  await heading('Acme').waitFor()
})

const PART = '**/assets/profile-page-*.js'
const openProfile = async () => {
  await page.goto(cp.origin)
  await page.getByRole('button', { name: /^Account/ }).click()
}

test('when a part of the app is gone, the page reloads at the requested address', async () => {
  verifies('web.missing-parts')
  await openProfile()
  let loadedAnew = false
  page.on('request', (request) => (loadedAnew ||= request.isNavigationRequest()))
  await page.route(PART, (route) => (loadedAnew ? route.continue() : route.abort()))
  await page.getByRole('link', { name: 'Profile', exact: true }).click()
  await heading('Profile').waitFor()
  expect([loadedAnew, new URL(page.url()).pathname]).toEqual([true, '/profile'])
})

test('a part that cannot be loaded shows a message, with a way to try again', async () => {
  verifies('web.missing-parts')
  const pass = await intercept(page, PART, (route) => route.fulfill({ status: 404, body: '' }))
  await page.goto(`${cp.origin}/profile`)
  await page.getByRole('button', { name: 'Load it again' }).waitFor()
  pass()
  await page.getByRole('button', { name: 'Load it again' }).click()
  await heading('Profile').waitFor()
})

/** Opens a page as a person of its own, and returns that person. */
async function openAsAnother(path: string): Promise<Person> {
  const other = cp.person()
  await other.signUp({ email: `${randomUUID()}@example.org` })
  await context.clearCookies()
  await context.addCookies([...other.cookies].map(([name, value]) => ({ name, value, url: cp.origin })))
  await page.goto(cp.origin + path)
  return other
}

test('a session that ends elsewhere leads to the sign-in, which leads back', async () => {
  verifies('web.live')
  const other = await openAsAnother('/profile')
  await heading('Profile').waitFor()
  await other.post('/api/auth/sign-out', {})
  await heading('Sign in').waitFor()
  expect(page.url()).toContain('next=%2Fprofile')
})

test('a session that has ended is not taken up again by an answer from before', async () => {
  verifies('web.live')
  const [sessions, settings] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let reads = 0
  let isAnswered = false
  await page.route('**/api/auth/list-sessions', (route) => sessions.promise.then(() => route.continue()))
  await page.route('**/api/settings', async (route) => {
    reads += 1
    if (reads !== 2) return route.continue()
    const response = await route.fetch()
    isAnswered = true
    await settings.promise
    await route.fulfill({ response })
  })
  const other = await openAsAnother('/profile')
  await until('the session is read while it lives', () => isAnswered)
  await other.post('/api/auth/sign-out', {})
  sessions.resolve()
  await heading('Sign in').waitFor()

  const addresses: string[] = []
  page.on('framenavigated', (frame) => addresses.push(frame.url()))
  settings.resolve()
  await page.waitForTimeout(500)
  expect(addresses).toEqual([])
  expect(await heading('Sign in').isVisible()).toBe(true)
})
