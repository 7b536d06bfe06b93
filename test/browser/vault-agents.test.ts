import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { intercept } from '../support/intercept.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { homeWith } from '../support/vault-home.ts'
import { openPage } from '../support/vault-page.ts'

let svcd: Svcd
let browser: Browser
let page: Page
const troubles: string[] = []

/** One call of an agent named Archivist. */
async function archivist(tool: string, given: object): Promise<void> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const send = (method: string, params: object, session?: string | null) =>
    fetch(`${svcd.url}/mcp`, {
      method: 'POST',
      headers: { ...headers, ...(session && { 'mcp-session-id': session }) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  const opened = await send('initialize', {
    protocolVersion: '2025-03-26',
    capabilities: {},
    clientInfo: { name: 'Archivist', version: '1' },
  })
  const answer = await send('tools/call', { name: tool, arguments: given }, opened.headers.get('mcp-session-id'))
  expect(await answer.text()).not.toContain('"isError":true')
}

const baseline = async (path: string) => {
  const { note } = (await (await fetch(`${svcd.url}/api/vaults/v/notes/${path}`)).json()) as {
    note: { baseline: string }
  }
  return note.baseline
}

const revisions = async (path: string) =>
  (
    (await (await fetch(`${svcd.url}/api/vaults/v/history/${path}`)).json()) as {
      revisions?: { author: { kind: string } }[]
    }
  ).revisions ?? []

const plan = '# Plan\n\nFirst.\n\nSecond.\n'

beforeAll(async () => {
  svcd = await startSvcd({ home: await homeWith({ 'v/Plan.md': plan }) })
  await until('the note is recorded as it was found', async () => (await revisions('Plan.md')).length === 1)
  const edits = [{ oldText: 'Second.', newText: 'Second, as the archivist has it.' }]
  await archivist('edit_note', { vaultId: 'v', path: 'Plan.md', baseline: await baseline('Plan.md'), edits })
  await archivist('create_note', { vaultId: 'v', path: 'Found.md', content: '# Found\n\nBy an agent.\n\n---\n' })
  for (const path of ['Plan.md', 'Found.md'])
    await until(
      `the history of ${path} knows the agent`,
      async () => (await revisions(path))[0]?.author.kind === 'mcp_client',
    )
  browser = await openBrowser()
  page = await openPage(browser, { troubles })
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
  expect(troubles).toEqual([])
})

test('the margin says what an agent wrote; Undo there shows the change first and then makes it', async () => {
  verifies('ui.margin-authors', 'ui.undo-agent')
  await page.goto(`${svcd.url}/v/v/Plan.md`)
  const authors = page.getByRole('list', { name: 'Who wrote what' })
  const band = authors.getByRole('listitem').filter({ hasText: 'Archivist' })
  await band.waitFor()
  expect(await band.innerText()).toContain('an agent, line 5')

  await band.getByRole('button', { name: 'Undo' }).click()
  const dialog = page.getByRole('dialog', { name: 'Undo Archivist' })
  await dialog.locator('del', { hasText: 'Second, as the archivist has it.' }).waitFor()
  expect(await readFile(svcd.file('v', 'Plan.md'), 'utf8')).not.toBe(plan)

  const pass = await intercept(page, '**/revert', async (route) => {
    if (route.request().postDataJSON().dryRun) return route.continue()
    await route.fulfill({ status: 409, json: { ok: false, error: { code: 'stale_doc', message: 'It has changed.' } } })
  })
  await dialog.getByRole('button', { name: 'Undo 1 change' }).click()
  await dialog.getByRole('alert').getByText('It has changed.').waitFor()
  pass()
  await dialog.getByRole('button', { name: 'Undo 1 change' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await readFile(svcd.file('v', 'Plan.md'), 'utf8')).toBe(plan)
  await band.waitFor({ state: 'detached' })
})

test('the margin can be told to name nobody', async () => {
  verifies('ui.margin-authors')
  await page.goto(`${svcd.url}/v/v/Found.md`)
  const authors = page.getByRole('list', { name: 'Who wrote what' })
  await authors.getByText('Archivist').first().waitFor()
  await page.getByLabel('Show who wrote what').selectOption({ label: 'No authors' })
  await authors.waitFor({ state: 'detached' })
})

test('where there are more changes than are read, the Agents page says since when it knows them', async () => {
  verifies('ui.undo-agent')
  const change = { actor: 'mcp_client', client: 'Busy', tool: 'edit_note', path: 'Plan.md', outcome: 'done' }
  const start = Date.now() - 3_600_000
  const entries = Array.from({ length: 1000 }, (_, nth) => ({ ...change, at: new Date(start - nth).toISOString() }))
  const pass = await intercept(page, '**/audit?*', (route) => route.fulfill({ json: { ok: true, entries } }))
  await page.goto(`${svcd.url}/v/v?view=agents`)
  await page.getByText('This page knows the last 1,000 changes of agents, since').waitFor()
  await page.getByText('These are the latest 200 of 1,000 changes.').waitFor()
  await page.getByRole('button', { name: /^Undo since / }).waitFor()
  expect(await page.getByRole('button', { name: 'Undo all' }).count()).toBe(0)

  pass()
  await page.goto(`${svcd.url}/v/v`)
})

test('the Agents page lists what each agent did and undoes a note that one made', async () => {
  verifies('ui.undo-agent')
  await page.getByRole('button', { name: 'Agents', exact: true }).click()
  const agents = page.getByRole('list', { name: 'Agents' })
  await agents.getByText('2 changes in 2 notes').waitFor()
  const change = page.getByRole('list', { name: 'What they did' }).getByRole('listitem').filter({ hasText: 'Found.md' })
  expect(await change.innerText()).toContain('Archivist wrote Found.md')

  await change.getByRole('button', { name: 'Undo' }).click()
  const dialog = page.getByRole('dialog', { name: 'Undo Archivist' })
  await dialog.getByText('goes to the deleted notes').waitFor()
  expect(await dialog.locator('del').allTextContents()).toEqual(
    ['# Found', '', 'By an agent.', '', '---'].map((line) => `Goes: ${line}`),
  )
  await dialog.getByRole('button', { name: 'Undo 1 change' }).click()
  await until('the note is gone', async () => (await fetch(`${svcd.url}/api/vaults/v/notes/Found.md`)).status === 404)
})
