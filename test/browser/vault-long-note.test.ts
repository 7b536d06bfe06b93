import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { call, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { homeWith } from '../support/vault-home.ts'
import { openPage } from '../support/vault-page.ts'

let svcd: Svcd
let browser: Browser
let page: Page
const troubles: string[] = []

const SECTIONS = 12_000
const section = (nth: number) =>
  `## Section ${nth}\n\nWords of [[Other]], ${'a sentence that goes on '.repeat(6)}\n\n- one\n- two\n\n`
const LONG = `# Long\n\n${Array.from({ length: SECTIONS }, (_, nth) => section(nth)).join('')}The very end ^end\n`
// A paragraph of 2 MB, in one line and in many.
const LINE = 'word goes on '.repeat(150_000)
const PARAGRAPH = 'a line of words that goes on\n'.repeat(70_000)
const LAST_LINE = LONG.split('\n').length - 1

beforeAll(async () => {
  const home = await homeWith({
    'v/Long.md': LONG,
    'v/Other.md': '# Other\n\n![[Long]]\n',
    'v/Line.md': LINE,
    'v/Paragraph.md': PARAGRAPH,
  })
  svcd = await startSvcd({ home })
  browser = await openBrowser()
  page = await openPage(browser, { troubles, viewport: { width: 1280, height: 900 } })
  await page.addInitScript(countEditorText)
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
  expect(troubles).toEqual([])
})

/** Counts the characters that the page has put into editors, including those that were removed again. */
function countEditorText() {
  const attach = Element.prototype.attachShadow
  Element.prototype.attachShadow = function (options) {
    const root = attach.call(this, options)
    const added = (changes: MutationRecord[]) => {
      const nodes = changes.flatMap(({ addedNodes }) => [...addedNodes])
      const length = nodes.reduce((sum, node) => sum + (node.textContent?.length ?? 0), 0)
      document.documentElement.dataset['drawn'] = String(
        Number(document.documentElement.dataset['drawn'] ?? 0) + length,
      )
    }
    new MutationObserver(added).observe(root, { childList: true, subtree: true })
    return root
  }
}
const drawnInEditors = async () => Number(await page.locator('html').getAttribute('data-drawn'))

const article = () => page.getByRole('article', { name: 'Note' })
const parts = () => page.getByRole('navigation', { name: 'Parts of the note', exact: true })
const isSmall = async () => expect(await article().locator('*').count()).toBeLessThan(10_000)

test('a note of megabytes is read by the part, and the page says so', async () => {
  verifies('ui.long-note')
  expect(LONG.length).toBeGreaterThan(2_000_000)
  await page.goto(`${svcd.url}/v/v/Long.md`)
  await article().getByRole('heading', { name: 'Section 0', exact: true }).waitFor()
  await parts().getByText('part 1 of').waitFor()
  await parts()
    .getByText(`of ${LAST_LINE.toLocaleString('en')}.`)
    .waitFor()
  await isSmall()
  expect(await parts().getByRole('button', { name: 'Previous part' }).isDisabled()).toBe(true)

  await parts().getByRole('button', { name: 'Next part' }).click()
  await parts().getByText('part 2 of').waitFor()
  expect(await article().getByRole('heading', { name: 'Section 0', exact: true }).count()).toBe(0)
  await isSmall()
  await until('the part begins at its top', () => page.locator('.note-scroll').evaluate((at) => at.scrollTop === 0))

  // Editing starts at the place that was being read.
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Note text' }).waitFor()
  await until('the editor shows the second part', async () => {
    const shown = /Section (\d+)/.exec((await page.locator('.cm-line').allTextContents()).join('\n'))?.[1]
    return Number(shown) > 100
  })
  await page.getByRole('button', { name: 'Read' }).click()
  await parts().getByText('part 2 of').waitFor()
})

test('links lead to the part with the line, the heading or the block', async () => {
  verifies('ui.long-note')
  await page.goto(`${svcd.url}/v/v/Long.md#Section%209000`)
  await article().locator('h2.arrived', { hasText: 'Section 9000' }).waitFor()
  await isSmall()
  await page.goto(`${svcd.url}/v/v/Long.md#^end`)
  await article().getByText('The very end').waitFor()
  expect(await parts().getByRole('button', { name: 'Next part' }).isDisabled()).toBe(true)
})

test('Back returns to the part and the place that were read, not to the heading that led there', async () => {
  verifies('ui.long-note')
  await page.goto(`${svcd.url}/v/v/Long.md#Section%209000`)
  await article().locator('h2.arrived', { hasText: 'Section 9000' }).waitFor()
  await parts().getByRole('button', { name: 'Previous part' }).click()
  await article().getByRole('heading', { name: 'Section 9000', exact: true }).waitFor({ state: 'detached' })
  const name = await article().locator('h2').nth(100).innerText()
  const heading = article().getByRole('heading', { name, exact: true })
  await heading.evaluate((element) => element.scrollIntoView())
  // The position is stored in the animation frame after the scrolling.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  await heading.locator('xpath=following::a[1]').click()
  await article().getByRole('heading', { name: 'Other', exact: true }).waitFor()
  await page.goBack()
  await until(`${name} is on the screen`, async () => {
    const box = (await heading.count()) === 1 ? await heading.boundingBox() : null
    return box !== null && box.y > -200 && box.y < 900
  })
})

test('of a long note that another embeds the beginning is shown', async () => {
  verifies('ui.long-note')
  await page.goto(`${svcd.url}/v/v/Other.md`)
  await article().getByText('only its beginning is shown here').waitFor()
  await isSmall()
})

test.each([
  ['one line', 'Line.md', LINE],
  ['many lines', 'Paragraph.md', PARAGRAPH],
])('a paragraph of megabytes in %s is written in, as it is written', async (_how, path, text) => {
  verifies('ui.long-note')
  await page.goto(`${svcd.url}/v/v/${path}`)
  await parts().getByText('part 1 of').waitFor()
  await isSmall()
  await page.getByRole('button', { name: 'Edit' }).click()
  const editor = page.getByRole('textbox', { name: 'Note text' })
  await editor.waitFor()
  await page.getByRole('note').getByText('This note is very long').waitFor()
  // The beginning is typed last: the newest version then has it, however many versions are kept.
  await editor.press('Control+End')
  await page.keyboard.type('last')
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('First ')
  const file = svcd.file('v', path)
  await until('what was typed is in the file', async () => (await readFile(file, 'utf8')) === `First ${text}last`)
  expect(await drawnInEditors()).toBeLessThan(400_000)

  type History = { revisions?: { rev: string }[]; content?: string }
  const history = async (query = '') => (await call<History>(svcd, `/api/vaults/v/history/${path}${query}`)).body
  await until('what was typed is in the newest version', async () => {
    const [newest] = (await history()).revisions ?? []
    return newest !== undefined && (await history(`?rev=${newest.rev}`)).content?.startsWith('First ') === true
  })
  await page
    .getByRole('link', { name: 'History' })
    .or(page.getByRole('button', { name: 'History' }))
    .first()
    .click()
  const changed = page.getByRole('article', { name: 'What this version changed' })
  await changed.getByText('First').first().waitFor()
  expect((await changed.innerText()).length).toBeLessThan(250_000)
})
