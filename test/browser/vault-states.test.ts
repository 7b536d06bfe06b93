import { HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { homeWith } from '../support/vault-home.ts'
import { openPage } from '../support/vault-page.ts'

let svcd: Svcd
let browser: Browser
let page: Page
const troubles: string[] = []

beforeAll(async () => {
  const home = await homeWith({
    'v/Note.md': '---\nstate: open\n---\n\n# Note\n\nA needle, [[Plans/Map]].\n\n- [ ] task\n',
    'v/Plans/Map.md': '# Map\n',
    'v/Gone.md': '# Gone\n',
    'v/Here.md': '# Here\n\nThe note says so.\n',
  })
  svcd = await startSvcd({ home })
  const vault = `${svcd.url}/api/vaults/v`
  for (const note of ['Gone.md', 'Here.md'])
    await until(`${note} is in the history as it was found`, async () => {
      const { data } = HistoryAnswer.safeParse(await (await fetch(`${vault}/history/${note}`)).json())
      return data?.revisions?.length === 1
    })
  const gone = `${vault}/notes/Gone.md`
  const { headers } = await fetch(gone)
  const deleted = await fetch(gone, { method: 'DELETE', headers: { 'if-match': headers.get('etag')! } })
  const moved = await fetch(`${vault}/move`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from: 'Here.md', to: 'Plans/There.md' }),
  })
  expect([deleted.status, moved.status]).toEqual([200, 200])
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
  expect(troubles).toEqual([])
})

describe.each(['light', 'dark'] as const)('axe finds nothing, %s:', (colorScheme) => {
  beforeEach(async () => {
    await page?.close()
    page = await openPage(browser, { troubles, colorScheme, reducedMotion: 'reduce' })
    await page.goto(`${svcd.url}/v/v/Note.md`)
    await page.getByRole('article', { name: 'Note' }).waitFor()
  })

  const isClean = async (state: string) => {
    verifies('ui.accessible')
    expect([state, await accessibilityProblems(page)]).toEqual([state, []])
  }

  test('the editor', async () => {
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Note text' }).waitFor()
    await isClean('editor')
  })

  test('the search, with hits and without', async () => {
    const box = page.getByRole('searchbox', { name: 'Search notes' })
    await box.fill('needle')
    await page.locator('.results a').first().waitFor()
    await isClean('hits')
    await box.fill('nothing-of-this')
    await page.locator('.results a').first().waitFor({ state: 'detached' })
    await isClean('no hits')
  })

  test.each([
    ['Open a note', 'Control+k'],
    ['Run a command', 'Control+p'],
    ['Keys', '?'],
    ['New note', 'Alt+n'],
  ])('the dialog “%s”', async (name, key) => {
    await page.keyboard.press(key)
    await page.getByRole('dialog', { name }).waitFor()
    await isClean(name)
  })

  test('a note that is being renamed', async () => {
    await page.getByRole('tree').focus()
    await page.keyboard.press('F2')
    await page.getByRole('dialog', { name: 'Rename or move' }).waitFor()
    await isClean('rename')
  })

  test('the address that a note has left, which leads to it', async () => {
    verifies('history.moved-to')
    await page.goto(`${svcd.url}/v/v/Here.md`)
    const notice = page.getByRole('alert').filter({ hasText: '“Here” was moved' })
    const link = notice.getByRole('link', { name: 'Plans/There.md' })
    await link.waitFor()
    await isClean('moved')
    await link.click()
    await page.waitForURL('**/v/v/Plans/There.md')
    await page.getByText('The note says so.').waitFor()
  })

  test('the deleted notes', async () => {
    await page.getByRole('button', { name: 'Deleted notes' }).click()
    await page.getByRole('button', { name: 'Restore' }).first().waitFor()
    await isClean('deleted')
  })

  test('the agents, before there are any', async () => {
    await page.getByRole('button', { name: 'Agents', exact: true }).click()
    await page.getByText('No agent has changed anything here yet.').waitFor()
    await isClean('agents')
  })
})
