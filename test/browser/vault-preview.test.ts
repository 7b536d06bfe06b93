import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { homeWith } from '../support/vault-home.ts'
import { openPage } from '../support/vault-page.ts'

let svcd: Svcd
let browser: Browser
let page: Page
const troubles: string[] = []

const long = Array.from({ length: 2000 }, (_, nth) => `Paragraph ${nth}.`).join('\n\n')

beforeAll(async () => {
  const home = await homeWith({
    'v/Start.md':
      '# Start\n\n[[Long]], [[Parts#Second]], [[Hostile]], [[Empty]], [[Missing]] and [the web](https://example.org/).\n',
    'v/Long.md': `---\nstate: open\n---\n\nThe beginning. [[Start]]\n\n${long}\n`,
    'v/Parts.md': '# Parts\n\n## First\n\nnot this\n\n## Second\n\n$x^2$ this\n\n## Third\n\nnor this\n',
    'v/Hostile.md': 'Hi <img src=x onerror="window.hacked = 1">\n\n<script>window.hacked = 1</script>\n',
    'v/Empty.md': '',
  })
  svcd = await startSvcd({ home })
  browser = await openBrowser()
})

beforeEach(async () => {
  await page?.close()
  page = await openPage(browser, { troubles })
  await page.goto(`${svcd.url}/v/v/Start.md`)
  await link('Long').waitFor()
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
  expect(troubles).toEqual([])
})

const link = (name: string) => page.getByRole('article', { name: 'Note' }).getByRole('link', { name, exact: true })
const preview = () => page.getByRole('tooltip')

test('pointing at a link shows the beginning of its note, until the pointer leaves both', async () => {
  verifies('ui.preview')
  await link('Long').hover()
  await preview().filter({ hasText: 'The beginning.' }).waitFor()
  const text = await preview().innerText()
  expect(text).toContain('Paragraph 3.')
  expect(text).not.toContain('Paragraph 200.')
  expect(text).not.toContain('state: open')
  expect(await preview().locator('a').count()).toBe(0)
  expect(await accessibilityProblems(page)).toEqual([])

  await preview().hover()
  await page.mouse.move(1200, 700)
  await preview().waitFor({ state: 'detached' })
})

test('the focus of the keyboard shows it too, and Escape puts it away', async () => {
  verifies('ui.preview')
  // The choice of authors is rendered late and comes before the text in the tab order.
  await page.getByLabel('Show who wrote what').waitFor()
  await page.locator('.note-scroll').first().focus()
  await until('Tab reaches the first link', async () => {
    await page.keyboard.press('Tab')
    return link('Long').evaluate((element) => element === document.activeElement)
  })
  await preview().filter({ hasText: 'The beginning.' }).waitFor()
  expect(await link('Long').getAttribute('aria-describedby')).toBe(await preview().getAttribute('id'))
  await page.keyboard.press('Escape')
  await preview().waitFor({ state: 'detached' })
  await page.keyboard.press('Tab')
  await preview().filter({ hasText: 'this' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Second' }).waitFor()
  expect(await preview().count()).toBe(0)
})

test('a link to a heading shows its section alone; an empty note says so; a hostile one runs nothing', async () => {
  verifies('ui.preview')
  await link('Parts › Second').hover()
  await preview().locator('math').waitFor()
  expect(await preview().innerText()).not.toMatch(/not this|nor this/)
  await link('Empty').hover()
  await preview().filter({ hasText: 'This note is empty.' }).waitFor()
  await link('Hostile').hover()
  await preview().filter({ hasText: 'Hi' }).waitFor()
  expect(await preview().locator('img, script').count()).toBe(0)
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
})

test('a note that cannot be read says so; one that is not written has no preview', async () => {
  await page.route('**/notes/Long.md?*', (route) => route.fulfill({ status: 503, json: {} }))
  await link('Long').hover()
  await preview().filter({ hasText: '“Long” could not be read.' }).waitFor()
  await link('Missing').hover()
  await preview().waitFor({ state: 'detached' })
})

test('a link that is left and entered again while its note is read has one preview, which goes away', async () => {
  verifies('ui.preview')
  const held = Promise.withResolvers<void>()
  let answered = 0
  let asked = 0
  await page.route('**/notes/Long.md?*', async (route) => {
    asked += 1
    await held.promise
    await route.continue()
  })
  page.on('requestfinished', (request) => void (answered += Number(request.url().includes('/notes/Long.md'))))
  await link('Long').hover()
  await until('the note is read', () => asked > 0)
  await page.mouse.move(1200, 700)
  await link('Long').hover()
  await until('the note is read again', () => asked > 1)
  held.resolve()
  await until('both readings end', () => answered > 1)
  await preview().first().filter({ hasText: 'The beginning.' }).waitFor()
  await page.mouse.move(1200, 700)
  await until('no preview is left', async () => (await preview().count()) === 0)
})
