import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { replaceFile } from '../support/replace-file.ts'
import type { Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { vaultInBrowser } from '../support/vault-in-browser.ts'

let svcd: Svcd
let page: Page

const TWO = 'Above\n\n| A |\n| --- |\n| first |\n\nBetween\n\n| B |\n| --- |\n| second |\n\nBelow\n'
const LINKED = 'Above\n\n| Links |\n| --- |\n| [[Other]] |\n| #news |\n\nBelow\n'

const vault = vaultInBrowser({
  'v/Two.md': TWO,
  'v/Linked.md': LINKED,
  'v/Dropped.md': `---\na: 1\n---\n${LINKED}`,
  'v/Other.md': '# Other\n',
})

beforeEach(() => {
  ;({ svcd, page } = vault.now())
})

const field = () => page.locator('.cm-cell-field')
const cell = (text: string) => page.getByRole('gridcell').filter({ hasText: text })
const file = (note: string) => svcd.file('v', `${note}.md`)
const isWritten = (note: string, text: string) =>
  until(`${note} is written`, async () => (await readFile(file(note), 'utf8')) === text)

async function edit(note: string) {
  await page.goto(`${svcd.url}/v/v/${note}.md`)
  await page.getByRole('treeitem', { name: note, exact: true }).waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('grid', { name: 'Table' }).first().waitFor()
}

test('a cell that is entered from another table stays the same cell while the note changes above it', async () => {
  verifies('ui.tables')
  await edit('Two')
  await cell('first').click()
  await until('the first cell is edited', async () => (await field().inputValue()) === 'first')
  await cell('second').click()
  await until('the second cell is edited', async () => (await field().inputValue()) === 'second')
  await replaceFile(svcd, file('Two'), `New\n\nlines\n\nof a friend\n\n${TWO}`)
  await page.locator('.cm-line', { hasText: 'of a friend' }).waitFor()
  await page.keyboard.type(' more')
  await isWritten('Two', `New\n\nlines\n\nof a friend\n\n${TWO.replace('second', 'second more')}`)
})

test('a link in a cell leads to its note without loading the page again, and a tag to its notes', async () => {
  verifies('ui.tables')
  await edit('Linked')
  await cell('news').getByText('#news').click()
  const searched = page.getByRole('searchbox', { name: 'Search notes' })
  await until('the tag is searched', async () => (await searched.inputValue()) === 'tag:news')

  await edit('Linked')
  await page.evaluate(() => ((window as { isSame?: true }).isSame = true))
  const isSame = () => page.evaluate(() => 'isSame' in window)
  await cell('Other')
    .getByRole('link')
    .click({ modifiers: ['Control'] })
  await page.locator('.tab a', { hasText: 'Other' }).waitFor()
  expect([await isSame(), page.context().pages().length]).toEqual([true, 1])

  await page.locator('.tab a', { hasText: 'Linked' }).click()
  await cell('Other').getByRole('link').click()
  await page.waitForURL('**/v/v/Other.md')
  expect(await isSame()).toBe(true)
})

test('a file that is dropped on a table is stored and embedded; elsewhere the browser opens none', async () => {
  verifies('ui.tables')
  await edit('Dropped')
  const dropOn = (element: HTMLElement) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['x'], 'plan.txt'))
    const { x, y } = element.getBoundingClientRect()
    return ['dragover', 'drop'].map((type) => {
      const at = { clientX: x + 2, clientY: y + 2 }
      return !element.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true, ...at }))
    })
  }
  expect(await page.getByRole('heading', { name: 'Outline' }).evaluate(dropOn)).toEqual([true, true])
  expect(await cell('Other').evaluate(dropOn)).toEqual([true, true])
  const once = LINKED.replace('| Links', '![[plan.txt]]\n| Links')
  await isWritten('Dropped', `---\na: 1\n---\n${once}`)
  expect(await page.locator('.cm-properties').evaluate(dropOn)).toEqual([true, true])
  await isWritten('Dropped', `---\na: 1\n---\n![[plan 2.txt]]\n${once}`)
  expect(await readFile(svcd.file('v', 'plan.txt'), 'utf8')).toBe('x')
})
