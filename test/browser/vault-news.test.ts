import { writeFile } from 'node:fs/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { NewsAnswer } from '@svc/shared/wire/daemon/daemon-news.api.ts'
import { Note } from '@svc/shared/wire/daemon/daemon.api.ts'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { call, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { homeWith } from '../support/vault-home.ts'
import { openPage } from '../support/vault-page.ts'

let svcd: Svcd
let browser: Browser
let agent: Client
let page: Page
const troubles: string[] = []

beforeAll(async () => {
  const home = await homeWith({ 'v/Other.md': '# Other\n', 'v/Plans/Road.md': '# Road\n' })
  svcd = await startSvcd({ home })
  browser = await openBrowser()
  agent = new Client({ name: 'Archivist', version: '1' })
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${svcd.url}/mcp`)))
})

beforeEach(async () => {
  await page?.close()
  expect((await call(svcd, '/api/vaults/v/readings', { method: 'PUT', json: {} })).status).toBe(200)
  page = await openPage(browser, { troubles })
  await page.goto(`${svcd.url}/v/v`)
  await page.getByText('Nothing new since you last looked').waitFor()
})

afterAll(async () => {
  await agent?.close()
  await browser?.close()
  await svcd?.remove()
  expect(troubles).toEqual([])
})

const line = (name: string) => page.getByRole('treeitem', { name, exact: true })
const news = () => page.getByRole('region', { name: 'New since you last looked' })
/** What a screen reader says of a line besides its name; undefined for a line without a mark. */
const described = (name: string) =>
  line(name).evaluate((element) => {
    const id = element.getAttribute('aria-describedby')
    return id === null ? undefined : document.getElementById(id)?.textContent
  })
async function createNote(path: string) {
  const created = await agent.callTool({
    name: 'create_note',
    arguments: { vaultId: 'v', path, content: `# ${path}\n` },
  })
  expect(created.isError ?? false, JSON.stringify(created)).toBe(false)
}
const isInView = (place: Locator) =>
  place.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return top >= 0 && bottom <= window.innerHeight
  })
const unread = async () =>
  NewsAnswer.parse((await call(svcd, '/api/vaults/v/news')).body).news.changed.map(({ path }) => path)

test('nothing of the home moves when the news arrive, so that a click meets what it was meant for', async () => {
  verifies('ui.news')
  await createNote('Arrived.md')
  let answer = () => {}
  const asked = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/api/vaults/v/news*', async (route) => {
    await asked
    await route.continue()
  })
  await page.reload()
  await page
    .getByRole('main')
    .getByText(/^\d notes, /)
    .waitFor()
  const below = page.getByRole('region', { name: 'Changed last' })
  expect(await below.count()).toBe(0)
  answer()
  await below.waitFor()
  expect(await news().count()).toBe(1)
})

test('entries of the home, of backlinks and of the switcher open in a tab with Ctrl or the middle button', async () => {
  verifies('ui.tabs')
  await writeFile(svcd.file('v', 'Pointer.md'), `# Pointer\n\n${'Words.\n\n'.repeat(100)}See [[Road]].\n`)
  const tabs = () => page.locator('.tab a').allInnerTexts()
  const home = page.getByRole('region', { name: 'Changed last' })
  // The lists are sorted anew by this change, and would move under a click.
  await news()
    .getByRole('link', { name: /^Pointer/ })
    .waitFor()
  await until('the change is the last one', async () =>
    (await home.getByRole('link').first().innerText()).startsWith('Pointer'),
  )
  await home.getByRole('link', { name: /^Other/ }).click()
  await page.getByRole('heading', { name: 'Other', level: 1 }).waitFor()
  await page.goBack()
  await home.getByRole('link', { name: /^Road/ }).click({ modifiers: ['Control'] })
  await until('the note of the home has a tab', async () => String((await tabs()).toSorted()) === 'Other,Road')
  expect(new URL(page.url()).pathname).toBe('/v/v')

  await page.getByRole('button', { name: 'Open a note' }).click()
  await page.getByRole('combobox', { name: 'Open a note' }).fill('Pointer')
  await page.getByRole('option', { name: /^Pointer/ }).click({ button: 'middle' })
  await page.getByRole('heading', { name: 'Pointer', level: 1 }).waitFor()
  await until('the choice has a tab', async () => (await tabs()).includes('Pointer'))
  await page.keyboard.press('Alt+W')
  await until('the tab is closed', async () => !(await tabs()).includes('Pointer'))

  await page.goto(`${svcd.url}/v/v/Plans/Road.md`)
  await page.getByRole('heading', { name: 'Road', level: 1 }).waitFor()
  const backlinks = page.getByRole('region', { name: 'Linked from' })
  await backlinks.getByRole('link', { name: /^Pointer/ }).click({ button: 'middle' })
  await until('the backlink has a tab', async () => (await tabs()).includes('Pointer'))
  await page.getByRole('heading', { name: 'Road', level: 1 }).waitFor()
  await page.locator('.tab a', { hasText: 'Pointer' }).click()
  const mention = page.locator('.reading .arrived', { hasText: 'See Road' })
  await mention.waitFor()
  await until('the tab begins at the mention', () => isInView(mention))
})

test('what changed is marked in the tree and listed on the home; reading a note clears its mark', async () => {
  verifies('ui.news')
  await createNote('Plans/Found.md')
  await writeFile(svcd.file('v', 'Other.md'), '# Other\n\nmore\n')
  await expect.poll(() => described('Other')).toBe('Changed by another program since you last read it')
  await expect.poll(() => described('Plans')).toBe('1 note in it changed since you last read it')
  await news().getByRole('link', { name: 'Other another program' }).waitFor()
  expect(await accessibilityProblems(page)).toEqual([])

  await news()
    .getByRole('link', { name: /^Found Plans Archivist, an agent/ })
    .click()
  await page.getByRole('heading', { name: 'Plans/Found.md', level: 1 }).waitFor()
  await line('Found').waitFor()
  await expect.poll(() => described('Found')).toBeUndefined()
  await expect.poll(() => described('Plans')).toBeUndefined()
  expect(await unread()).toEqual(['Other.md'])
  expect(await described('Other')).toBe('Changed by another program since you last read it')
})

test('a note that was edited on this page is read again when others change it', async () => {
  verifies('ui.news')
  await page.goto(`${svcd.url}/v/v/Plans/Road.md`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Note text' }).waitFor()
  await page.keyboard.press('Control+e')
  const article = page.getByRole('article', { name: 'Note' })
  await article.waitFor()

  const read: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/readings/Plans/Road.md')) read.push(request.postDataJSON().baseline)
  })
  await writeFile(svcd.file('v', 'Plans/Road.md'), '# Road\n\nChanged meanwhile.\n')
  await article.getByText('Changed meanwhile.').waitFor()
  const { note } = Note.parse((await call(svcd, '/api/vaults/v/notes/Plans/Road.md')).body)
  await expect.poll(() => read).toContain(note.baseline)
  await expect.poll(unread).toEqual([])
  await expect.poll(() => described('Road')).toBeUndefined()
})

test('a long list shows the newest and all on request; all of it can be marked as read', async () => {
  verifies('ui.news')
  const names = Array.from({ length: 10 }, (_, nth) => `New ${nth}`)
  for (const name of names) await createNote(`Many/${name}.md`)
  await expect.poll(() => described('Many')).toBe('10 notes in it changed since you last read them')
  expect(await news().getByRole('link').count()).toBe(8)
  await news().getByRole('button', { name: 'Show all 10' }).click()
  await expect.poll(() => news().getByRole('link').count()).toBe(10)
  await news().getByRole('button', { name: 'Mark all as read' }).click()
  await page.getByText('Nothing new since you last looked').waitFor()
  await expect.poll(() => described('Many')).toBeUndefined()
  expect(await unread()).toEqual([])
})
