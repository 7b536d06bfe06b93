import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { intercept } from '../support/intercept.ts'
import { PASSWORD, type Person } from '../support/person.ts'
import { until } from '../support/until.ts'

const pictures = process.env['SVC_TEST_PICTURES']
let cp: TestControlPlane
let browser: Browser
let ada: Person
let org: { id: string; slug: string }
const contexts: BrowserContext[] = []

beforeAll(async () => {
  cp = await startControlPlane()
  browser = await openBrowser()
  ada = cp.person()
  await ada.signUp({ email: 'ada@example.org', name: 'Ada' })
  org = (await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Acme', slug: 'acme' })).body.organization
})
afterAll(async () => {
  for (const context of contexts) await context.close()
  await browser?.close()
  await cp?.stop()
})

/** A page in dark phone layout, signed in as `person` or as nobody. */
async function openPage(person?: Person): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
  contexts.push(context)
  const cookies = [...(person?.cookies ?? [])].map(([name, value]) => ({ name, value, url: cp.origin }))
  await context.addCookies(cookies)
  return context.newPage()
}
const section = (page: Page, name: string) => page.getByRole('region', { name })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
async function look(page: Page, name: string): Promise<void> {
  if (pictures !== undefined) await page.screenshot({ path: `${pictures}/account-${name}.png`, fullPage: true })
  expect(await accessibilityProblems(page)).toEqual([])
}

test('a confirmation that did not come is sent again, and the new one works', async () => {
  verifies('web.account-pages')
  const page = await openPage()
  await page.goto(`${cp.origin}/sign-up`)
  await page.getByLabel('Name').fill('Cleo')
  await page.getByLabel('E-mail').fill('cleo@example.org')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await heading(page, 'Check your mail')
  const first = (await cp.mailTo('cleo@example.org')).link
  await page.getByRole('button', { name: 'Send it again' }).click()
  await page.getByText('Sent again').waitFor()
  await look(page, 'resent')
  let second = first
  await until('another mail came', async () => (second = (await cp.mailTo('cleo@example.org')).link) !== first)
  await page.goto(second)
  await page.getByRole('button', { name: 'Confirm and sign in' }).click()
  await heading(page, 'Welcome, Cleo')
})

test('an invited person makes an account and is in the organization by one step', async () => {
  verifies('web.account-pages')
  const admin = await openPage(ada)
  await admin.goto(`${cp.origin}/organizations/acme/members`)
  await admin.getByLabel('E-mail').fill('bob@example.org')
  await admin.getByRole('button', { name: 'Invite' }).click()
  await admin.getByRole('button', { name: 'Get link' }).click()
  const copied = await admin
    .getByText(/\/invitations\/inv_\w+#token=/)
    .first()
    .innerText()
  expect(copied).toContain(cp.origin)
  await look(admin, 'invitation-link')

  const page = await openPage()
  await page.goto((await cp.mailTo('bob@example.org', 'invitation')).link)
  await heading(page, 'Join Acme')
  await page.getByText('Ada invites bob@example.org to Acme as member').waitFor()
  await look(page, 'invited')
  await page.getByLabel('Name').fill('Bob')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account and join Acme' }).click()
  await page.getByRole('link', { name: 'Acme', exact: true }).waitFor()
  // The admin's page shows the new member without a reload.
  await section(admin, 'Members').getByText('bob@example.org').waitFor()
})

test('a member leaves; the only admin is told to hand over first', async () => {
  verifies('web.account-pages', 'cp.leave-organization')
  const admin = await openPage(ada)
  await admin.goto(`${cp.origin}/organizations/acme/members`)
  await section(admin, 'Members').getByText('The only admin').waitFor()
  expect(await admin.getByRole('button', { name: 'Leave' }).isDisabled()).toBe(true)

  const bob = cp.person()
  bob.email = 'bob@example.org'
  await bob.signIn()
  const page = await openPage(bob)
  await page.goto(`${cp.origin}/organizations/acme/members`)
  await page.getByRole('button', { name: 'Leave' }).click()
  await look(page, 'leave')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Leave/ })
    .click()
  await heading(page, 'Welcome, Bob')
  await section(admin, 'Members').getByText('bob@example.org').waitFor({ state: 'detached' })
})

test('a session elsewhere is listed, and ended by one click', async () => {
  verifies('web.account-pages')
  const elsewhere = cp.person()
  elsewhere.email = ada.email
  await elsewhere.signIn()
  const page = await openPage(ada)
  // The response to a request whose session a write has just replaced.
  const pass = await intercept(page, '**/api/auth/get-session', (route) => {
    pass()
    return route.fulfill({ json: null })
  })
  await page.goto(`${cp.origin}/profile`)
  const sessions = section(page, 'Sessions')
  await sessions.getByRole('listitem').first().waitFor()
  expect(await sessions.getByText('This one').isVisible(), 'the list never shows without it').toBe(true)
  await sessions.getByRole('button', { name: /^Sign out (?!everywhere)/ }).click()
  await sessions.getByRole('button', { name: 'Sign out everywhere else' }).waitFor({ state: 'detached' })
  await look(page, 'sessions')
  expect((await elsewhere.get('/api/settings')).status).toBe(401)
  expect((await ada.get('/api/settings')).status).toBe(200)
})

test('a sign-out that fails says so, and may be repeated', async () => {
  verifies('web.account-pages')
  const flora = cp.person()
  await flora.signUp({ email: 'flora@example.org', name: 'Flora' })
  const page = await openPage(flora)
  const pass = await intercept(page, '**/api/auth/sign-out', (route) => {
    pass()
    const error = { code: 'database_unavailable', message: 'The database is away.' }
    return route.fulfill({ status: 503, json: { ok: false, error } })
  })
  await page.goto(`${cp.origin}/profile`)
  await page.getByRole('button', { name: 'Account F' }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('alert').waitFor()
  await look(page, 'sign-out-failed')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Account F' }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
  await page.getByRole('alert').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.waitForURL(`${cp.origin}/sign-in`)
})

test('an address is changed by the link that is mailed to the new one', async () => {
  verifies('web.account-pages', 'account.email-change')
  const dora = cp.person()
  await dora.signUp({ email: 'dora@example.org', name: 'Dora' })
  const page = await openPage(dora)
  await page.goto(`${cp.origin}/profile`)
  await page.getByRole('button', { name: 'Change e-mail' }).click()
  await page.getByLabel('New e-mail').fill('dora@elsewhere.example')
  await look(page, 'change-email')
  await page.getByRole('button', { name: 'Send the link' }).click()
  await section(page, 'E-mail').getByText('dora@elsewhere.example').waitFor()
  await page.goto((await cp.mailTo('dora@elsewhere.example', 'change-email')).link)
  await heading(page, 'Confirm your new e-mail')
  await page.getByRole('button', { name: 'Change e-mail' }).click()
  await heading(page, 'Sign in')
  await page.getByLabel('E-mail').fill('dora@elsewhere.example')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await heading(page, 'Welcome, Dora')
})

test('whoever undoes a change of address sets a new password next, and is told to look at the passkeys', async () => {
  verifies('web.account-pages', 'account.email-change')
  const emma = cp.person()
  await emma.signUp({ email: 'emma@example.org', name: 'Emma' })
  await emma.post('/api/settings/email', { email: 'thief@example.org' })
  const token = (await cp.mailTo('thief@example.org', 'change-email')).link.split('token=').at(-1)
  await emma.post('/api/settings/email/confirm', { token })
  const page = await openPage()
  await page.goto((await cp.mailTo('emma@example.org', 'email-changed')).link)
  await heading(page, 'Undo the change of your e-mail')
  await page.getByRole('button', { name: 'Undo the change' }).click()
  await heading(page, 'Your e-mail is as it was')
  await page.getByText('look at your passkeys').waitFor()
  await look(page, 'email-change-undone')
  await page.getByLabel('E-mail').fill('emma@example.org')
  await page.getByRole('button', { name: 'Send reset link' }).click()
  await heading(page, 'Check your mail')
  expect((await cp.mailTo('emma@example.org', 'reset-password')).link).toContain('/reset-password')
})

test('an account is deleted once its address is typed, and not before the last admin has handed over', async () => {
  verifies('web.account-pages', 'account.deletion')
  const page = await openPage(ada)
  const deleteAccount = async () => {
    await page.goto(`${cp.origin}/profile`)
    await page.getByRole('button', { name: 'Delete account' }).click()
    const confirm = page.getByRole('button', { name: 'Delete for good' })
    expect(await confirm.isDisabled()).toBe(true)
    await page.getByLabel('Your e-mail').fill(ada.email)
    await confirm.click()
  }
  await deleteAccount()
  await page.getByRole('dialog').getByText('Acme').waitFor()
  await look(page, 'last-admin')

  const heir = cp.person()
  await heir.signUp({ email: 'heir@example.org', name: 'Heir' })
  const invited = { organizationId: org.id, email: heir.email, role: 'admin' }
  const { body } = await ada.post('/api/auth/organization/invite-member', invited)
  const token = (await cp.mailTo(heir.email, 'invitation')).link.split('token=').at(-1)
  await heir.post('/api/auth/organization/accept-invitation', { invitationId: body.id, token })

  await deleteAccount()
  await heading(page, 'Sign in')
  const { members } = (await heir.get('/api/settings')).body.organizations[0]
  expect(members.map(({ email }: { email: string }) => email)).toEqual([heir.email])
})
