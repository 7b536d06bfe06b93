import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import type { Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { vaultInBrowser } from '../support/vault-in-browser.ts'

let svcd: Svcd
let page: Page

const note = [
  '# כותרת ראשית.',
  'שלום עולם.',
  '- פריט ברשימה.\n- [ ] משימה.',
  '> ציטוט קצר.',
  '| עמודה. | שנייה. |\n| --- | --- |\n| תא. | אחר. |',
  'Plain English.',
  '```js\nlet x = 1; // שלום.\n```',
].join('\n\n')
const vault = vaultInBrowser({ 'v/מכתב!.md': note })

beforeEach(async () => {
  ;({ svcd, page } = vault.now())
  await page.goto(`${svcd.url}/v/v/${encodeURIComponent('מכתב!')}.md`)
})

/** The direction in which the text of an element is laid out, by where its first and last characters are. */
const directionOf = (locator: Locator) =>
  locator.evaluate((element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    const texts: Text[] = []
    while (walker.nextNode()) if (walker.currentNode.nodeValue?.trim()) texts.push(walker.currentNode as Text)
    const leftOf = (text: Text, at: number) => {
      const range = document.createRange()
      range.setStart(text, at)
      range.setEnd(text, at + 1)
      return range.getBoundingClientRect().left
    }
    const last = texts.at(-1)!
    return leftOf(last, last.data.trimEnd().length - 1) < leftOf(texts[0]!, 0) ? 'rtl' : 'ltr'
  })

test('text that is written from right to left is read in that direction, and other text and code is not', async () => {
  verifies('ui.right-to-left')
  const article = page.getByRole('article', { name: 'Note' })
  await article.getByText('שלום עולם.').waitFor()
  const directions = async (selectors: string[]) => {
    const found = selectors.map(async (one) => [one, await directionOf(article.locator(one).first())] as const)
    return Object.fromEntries(await Promise.all(found))
  }
  expect(await directions(['h1', 'p', 'li', 'blockquote p', 'th', 'td'])).toEqual({
    h1: 'rtl',
    p: 'rtl',
    li: 'rtl',
    'blockquote p': 'rtl',
    th: 'rtl',
    td: 'rtl',
  })
  expect(await directionOf(article.getByText('Plain English.'))).toBe('ltr')
  expect(await directionOf(article.locator('pre'))).toBe('ltr')
  // The bullet and the line beside a quote are on the right.
  for (const block of ['ul', 'blockquote'])
    expect(await article.locator(block).evaluate((element) => getComputedStyle(element).direction)).toBe('rtl')
})

test('names in the tree, headings in the outline and search hits are written in their own direction', async () => {
  verifies('ui.right-to-left')
  const name = page.getByRole('treeitem', { name: 'מכתב!' })
  expect(await directionOf(name.locator('.tree-name'))).toBe('rtl')
  expect(await directionOf(page.getByRole('button', { name: 'כותרת ראשית.' }))).toBe('rtl')
  await page.getByRole('searchbox').fill('עולם')
  const hit = page.locator('.hit-text').first()
  await hit.waitFor()
  expect(await directionOf(hit)).toBe('rtl')
})

test('lines are edited in their own direction, and the arrow keys follow it', async () => {
  verifies('ui.right-to-left')
  await page.getByRole('article', { name: 'Note' }).getByText('שלום עולם.').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  const text = page.getByRole('textbox', { name: 'Note text' })
  const line = text.locator('.cm-line', { hasText: 'שלום עולם.' })
  await line.waitFor()
  expect(await directionOf(line)).toBe('rtl')
  expect(await directionOf(text.locator('.cm-line', { hasText: 'Plain English.' }))).toBe('ltr')
  expect(await directionOf(text.locator('.cm-line', { hasText: 'let x' }))).toBe('ltr')
  expect(await directionOf(text.locator('th').first())).toBe('rtl')

  await line.click()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.type('א')
  const changed = text.locator('.cm-line', { hasText: 'שאלום עולם.' })
  await changed.waitFor()
  await page.keyboard.press('End')
  await page.keyboard.type('!')
  await until('the sign at the end is the leftmost', async () => (await changed.innerText()).endsWith('.!'))
  expect(await directionOf(changed)).toBe('rtl')
})
