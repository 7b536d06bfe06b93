import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { capabilitiesOf, PERSON_PATH, type PersonHere } from '@svc/shared/wire/person.api.ts'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { startRelayedDaemon, type RelayedPerson } from '../support/relayed-daemon.ts'
import { until } from '../support/until.ts'
import { openPage } from '../support/vault-page.ts'

const VAULT = '/api/vaults/demo-vault'
let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
let browser: Browser
let ada: RelayedPerson
let ben: RelayedPerson
const troubles: string[] = []

/** Opens a page that comes through the relay as this person. The gateway, which knows the person, is played here. */
async function pageOf(person: RelayedPerson): Promise<Page> {
  const page = await openPage(browser, { troubles })
  await page.route('**/*', async (route) =>
    route.continue({ headers: { ...route.request().headers(), ...(await person.headers()) } }),
  )
  const here: PersonHere = {
    ok: true,
    person: { id: person.id, name: person.role },
    vaults: [{ id: 'demo-vault', displayName: 'Demo', entered: true }],
    capabilities: capabilitiesOf(person.role),
    theme: 'light',
  }
  await page.route(`**${PERSON_PATH}`, (route) => route.fulfill({ json: here }))
  return page
}

beforeAll(async () => {
  daemon = await startRelayedDaemon()
  ada = daemon.person('member')
  ben = daemon.person('member')
  for (const [{ id }, name] of [
    [ada, 'Ada'],
    [ben, 'Ben'],
  ] as const) {
    const args = { vaultId: 'demo-vault', path: `For ${name}.md`, content: `Written for ${name}.\n` }
    const { status } = await daemon.agentCall(
      { tool: 'create_note', arguments: args },
      { sub: id, name, role: 'member' },
    )
    expect(status).toBe(200)
  }
  for (const name of ['Ada', 'Ben'])
    await until('the history knows the agent', async () =>
      JSON.stringify((await daemon.local(`${VAULT}/history/For%20${name}.md`)).body).includes('mcp_client'),
    )
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await daemon?.close()
  expect(troubles).toEqual([])
})

test('an admin undoes what an agent did for one person; an agent of the same name for somebody else is left alone', async () => {
  verifies('ui.undo-agent', 'revert.allowed')
  const page = await pageOf(daemon.person('admin'))
  await page.goto(`${daemon.urls.relayed}/v/demo-vault/For%20Ada.md`)
  await page.getByRole('button', { name: 'Agents', exact: true }).click()
  const rows = page.getByRole('list', { name: 'Agents' }).getByRole('listitem')
  await rows.filter({ hasText: 'for Ben' }).waitFor()
  await rows.filter({ hasText: 'for Ada' }).getByRole('button', { name: 'Undo all' }).click()
  const dialog = page.getByRole('dialog', { name: 'Undo Claude for Ada' })
  await dialog.getByRole('heading', { name: 'For Ada.md' }).waitFor()
  expect(await dialog.getByRole('heading', { name: 'For Ben.md' }).count()).toBe(0)
  await dialog.getByRole('button', { name: 'Keep it' }).click()
})

test('the margin tells a member who may undo what an agent wrote for somebody else', async () => {
  verifies('ui.undo-agent', 'revert.allowed')
  const page = await pageOf(ben)
  await page.goto(`${daemon.urls.relayed}/v/demo-vault/For%20Ada.md`)
  const bands = page.getByRole('list', { name: 'Who wrote what' }).getByRole('listitem')
  await bands.filter({ hasText: 'for Ada' }).getByRole('button', { name: 'Undo' }).click()
  const dialog = page.getByRole('dialog', { name: 'Undo Claude for Ada' })
  await dialog.getByText('You can undo your own agents. An admin can undo this one.').waitFor()
  await dialog.getByRole('button', { name: 'Keep it' }).click()

  await page.goto(`${daemon.urls.relayed}/v/demo-vault/For%20Ben.md`)
  await bands.filter({ hasText: 'for you' }).getByRole('button', { name: 'Undo' }).click()
  const own = page.getByRole('dialog', { name: 'Undo Claude for you' })
  await own.getByRole('button', { name: 'Undo 1 change' }).click()
  await own.waitFor({ state: 'detached' })
  expect((await daemon.local(`${VAULT}/notes/For%20Ben.md`)).status).toBe(404)
  expect((await daemon.local(`${VAULT}/notes/For%20Ada.md`)).status).toBe(200)
})
