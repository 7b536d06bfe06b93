import { writeFile } from 'node:fs/promises'
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

test('the address of an attachment that is gone says so, and leads to the files of its name', async () => {
  verifies('ui.missing-named')
  const page = await openPage(browser, { troubles })
  await page.goto(`${svcd.url}/v/v/gone.csv`)
  const notice = page.getByRole('alert').filter({ hasText: 'There is no “gone.csv” here' })
  await notice.getByRole('heading', { level: 1 }).waitFor()
  expect(
    await page
      .getByRole('main')
      .getByRole('button', { name: /Try again|Create/ })
      .count(),
  ).toBe(0)
  await writeFile(svcd.file('v', 'Plans/gone.csv'), 'a,b\n')
  await notice.getByRole('link', { name: 'Plans/gone.csv' }).waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  await page.close()
})

test('while the files of the vault cannot be read nothing is called missing, and what was known stays known', async () => {
  verifies('ui.nothing-guessed')
  let failure: 'storage_failed' | 'daemon_offline' | undefined = 'storage_failed'
  const open = async (address: string) => {
    const opened = await openPage(browser, { troubles })
    await opened.route(/\/tree(?:\?|$)/, (route) =>
      failure === undefined
        ? route.continue()
        : route.fulfill({ status: 503, json: { ok: false, error: { code: failure, message: 'broken' } } }),
    )
    await opened.goto(`${svcd.url}/v/v${address}`)
    return opened
  }
  const refused = (page: Page, title: string) => page.getByRole('navigation').getByRole('alert').getByText(title)

  for (const [code, title] of [
    ['storage_failed', 'The disk failed'],
    ['daemon_offline', 'The host is not connected'],
  ] as const) {
    failure = code
    const note = await open('/Note.md')
    await refused(note, title).waitFor()
    await note.getByText('A needle').waitFor()
    expect([code, await note.locator('.unwritten, .missing').count()]).toEqual([code, 0])
    await note.keyboard.press('Control+k')
    await note.getByRole('combobox', { name: 'Open a note' }).fill('Map')
    expect(await note.getByText('No note has such a name.').count()).toBe(0)
    await note.close()

    const home = await open('')
    await refused(home, title).waitFor()
    await home.getByRole('heading', { name: 'v', level: 1 }).waitFor()
    expect(await home.getByText(/^0 notes|no notes yet/).count()).toBe(0)
    await home.close()
  }

  failure = 'storage_failed'
  const page = await open('/Plans/Never.md')
  await page.getByRole('main').getByRole('heading', { name: 'The disk failed', level: 1 }).waitFor()
  expect(await page.getByText('is not written yet').count()).toBe(0)
  failure = undefined
  await page.getByRole('main').getByRole('button', { name: 'Try again' }).click()
  await page.getByText('“Never” is not written yet').waitFor()

  await page.getByRole('treeitem', { name: 'Note', exact: true }).click()
  await page.getByText('A needle').waitFor()
  failure = 'storage_failed'
  await writeFile(svcd.file('v', 'Arrived.md'), '# Arrived\n')
  await refused(page, 'The disk failed').waitFor()
  expect(
    await page.getByRole('article', { name: 'Note' }).getByRole('link', { name: 'Plans/Map' }).getAttribute('class'),
  ).toBe('internal')
  failure = undefined
  await page.getByRole('navigation').getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('treeitem', { name: 'Arrived', exact: true }).waitFor()
  await page.close()
})
