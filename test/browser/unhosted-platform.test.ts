import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '@svc/shared/wire/new-id.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import type { Person } from '../support/person.ts'
import { verifies } from '../requirements.ts'

const operatorOrg = newId('org_')
let cp: TestControlPlane
let ada: Person
let browser: Awaited<ReturnType<typeof openBrowser>>

beforeAll(async () => {
  cp = await startControlPlane({ environment: { MANAGED_DAEMON_STORE: 'none', OPERATOR_ORG: operatorOrg } })
  ada = cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  await makeFirstAdmin(cp, operatorOrg, ada)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await cp?.stop()
})

test('a platform that runs no daemons offers none, and says what there is instead', async () => {
  verifies('ui.unhosted-platform')
  const refused = await ada.post('/api/provisioning/orgs/cloud-hosted/comped', { name: 'Acme', provisioningCode: 'x' })
  expect([refused.status, refused.body.error.details]).toEqual([403, { reason: 'no_managed_daemons' }])

  const context = await browser.newContext()
  await context.addCookies([...ada.cookies].map(([name, value]) => ({ name, value, url: cp.origin })))
  const page = await context.newPage()
  const shows = async (path: string, text: string) => {
    await page.goto(cp.origin + path)
    await page.getByText(text).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
  }

  await shows('/', 'Each organization of this installation runs a host of its own.')
  expect(await page.getByRole('link', { name: 'Choose hosted' }).count()).toBe(0)
  await shows('/organizations/new', 'Its vaults stay on a machine of yours.')
  await shows('/admin', 'This installation runs no daemons')
  await shows('/organizations/new/hosted', 'This installation hosts no organizations')
  await page.getByRole('link', { name: 'Make one' }).click()
  await page.getByRole('heading', { name: 'New self-hosted organization' }).waitFor()
})
