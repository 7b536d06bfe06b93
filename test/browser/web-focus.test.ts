import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import { intercept } from '../support/intercept.ts'
import type { Person } from '../support/person.ts'
import { addFleet } from '../support/some-fleet.ts'
import { until } from '../support/until.ts'

const operatorOrg = newId('org_')
// More than one page of the fleet.
const FLEET = 53

let cp: TestControlPlane
let browser: Browser
let context: BrowserContext
let page: Page

beforeAll(async () => {
  cp = await startControlPlane({ working: true, environment: { OPERATOR_ORG: operatorOrg } })
  const admin = cp.person()
  await admin.signUp({ email: 'admin@example.org' })
  await makeFirstAdmin(cp, operatorOrg, admin)
  await admin.post('/api/provisioning/orgs/self-hosted', { name: 'Alder', slug: 'alder' })
  await addFleet(cp, FLEET)
  await until(
    'the fleet is listed',
    async () => (await admin.get('/api/admin/managed-daemons?limit=1')).body.total === FLEET,
  )
  browser = await openBrowser()
  context = await newContext(admin)
  page = await context.newPage()
})
afterAll(async () => {
  await browser?.close()
  await cp?.stop()
})

async function newContext(person: Person): Promise<BrowserContext> {
  const made = await browser.newContext({ viewport: { width: 1280, height: 850 } })
  await made.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url: cp.origin })))
  return made
}

const hasFocus = (element: Locator) =>
  until('the element has the focus', () => element.evaluate((one) => one === document.activeElement))
const title = () => page.getByRole('heading', { level: 1 })

test('a filter of the fleet keeps the focus where it was, and another page of it leads to the title', async () => {
  verifies('web.focus-kept')
  await page.goto(`${cp.origin}/admin`)
  const standing = page.getByLabel('Standing')
  await standing.focus()
  await standing.selectOption('asleep')
  await page.waitForURL(/standing=asleep/)
  await hasFocus(standing)
  await standing.selectOption('')
  await page.waitForURL(/\/admin$/)

  // The list may follow the address only while somebody types already.
  const search = page.getByLabel('Organization', { exact: true })
  await search.focus()
  await page.keyboard.type('organization-', { delay: 5 })
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=organization-/)
  await hasFocus(search)
  expect(await search.inputValue()).toBe('organization-')

  // The address changes before the list does. The link of the list before would lose the focus.
  const next = page.getByRole('link', { name: 'Next page' }).and(page.locator('[href*="q=organization-"]'))
  await next.focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/cursor=/)
  await hasFocus(title())
})

test.each([
  ['organizations', '/admin/organizations', 'Search'],
  ['the audit', '/admin/audit', 'Show'],
])('a filter of %s keeps the focus on its button', async (_name, path, button) => {
  verifies('web.focus-kept')
  await page.goto(cp.origin + path)
  await page.getByRole('searchbox').first().fill('alder')
  await page.getByRole('button', { name: button }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/=alder/)
  await hasFocus(page.getByRole('button', { name: button }))
})

test('a setting that is saved at once keeps the focus, and takes no second change meanwhile', async () => {
  verifies('web.focus-kept')
  await page.goto(`${cp.origin}/organizations/alder/settings`)
  let asked = 0
  const held = Promise.withResolvers<void>()
  const pass = await intercept(page, '**/auto-admit', async (route) => {
    asked += 1
    await held.promise
    await route.abort()
  })
  const admission = page.getByRole('switch', { name: 'Admit colleagues automatically' })
  await admission.focus()
  await page.keyboard.press('Space')
  await until('the change is on its way', async () => asked === 1)
  await page.keyboard.press('Space')
  expect(await admission.getAttribute('aria-disabled')).toBe('true')
  await hasFocus(admission)
  held.resolve()
  await page.getByText('cannot be reached').waitFor()
  await hasFocus(admission)
  expect(asked).toBe(1)
  pass()
})

test('a plan of a rollout that is refused says so at the field', async () => {
  verifies('web.one-failure')
  await page.goto(`${cp.origin}/admin/rollouts`)
  await page.getByRole('button', { name: 'New rollout' }).click()
  await page.getByLabel('Image').fill(`local/svcd@sha256:${'1'.repeat(64)}`)
  const waves = page.getByLabel('Waves, in percent')
  await waves.fill('5, all')
  await page.getByRole('button', { name: 'Plan rollout' }).click()
  await until('the field is marked', async () => (await waves.getAttribute('aria-invalid')) === 'true')
  await waves.fill('5%, 100%')
  await page.getByRole('button', { name: 'Plan rollout' }).click()
  await page.getByRole('button', { name: 'Start rollout' }).waitFor()
})

test('a plan that arrives after the form was changed is not shown', async () => {
  verifies('web.rollout-plan')
  const held = Promise.withResolvers<void>()
  let asked = 0
  const pass = await intercept(page, '**/api/admin/rollouts/plan', async (route) => {
    asked += 1
    await held.promise
    await route.continue()
  })
  await page.goto(`${cp.origin}/admin/rollouts`)
  await page.getByRole('button', { name: 'New rollout' }).click()
  await page.getByLabel('Image').fill(`local/svcd@sha256:${'1'.repeat(64)}`)
  const plan = page.getByRole('button', { name: 'Plan rollout' })
  await plan.click()
  await until('the plan is requested', async () => asked === 1)
  await page.getByLabel('First few').fill('10')
  held.resolve()
  await until('the page has the plan', async () => (await plan.getAttribute('aria-busy')) === null)
  expect(await page.getByRole('button', { name: 'Start rollout' }).count()).toBe(0)
  pass()
  await plan.click()
  await page.getByRole('button', { name: 'Start rollout' }).waitFor()
})

test('the way back to the sign-in keeps where it leads', async () => {
  verifies('web.next-path')
  const guest = await browser.newContext()
  const door = await guest.newPage()
  await door.goto(`${cp.origin}/sign-in?next=%2Fprofile`)
  await door.getByRole('button', { name: 'Use a mailed link' }).click()
  await door.getByLabel('E-mail').fill('somebody@example.org')
  await door.getByRole('button', { name: 'Send sign-in link' }).click()
  await door.getByRole('link', { name: 'Back to sign-in' }).click()
  await door.getByRole('button', { name: 'Use a password' }).click()
  expect(new URL(door.url()).search).toBe('?next=%2Fprofile')
  await door.getByRole('link', { name: 'Forgotten password?' }).click()
  await door.getByRole('link', { name: 'Back to sign-in' }).click()
  await door.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(new URL(door.url()).search).toBe('?next=%2Fprofile')
  await guest.close()
})
