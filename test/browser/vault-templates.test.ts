import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { holdTree } from '../support/hold-tree.ts'
import { newHome, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

let svcd: Svcd
let browser: Browser
let context: BrowserContext
const troubles: string[] = []

beforeAll(async () => {
  const home = await newHome()
  await mkdir(`${home}/vaults/v/Templates`, { recursive: true })
  await writeFile(`${home}/vaults/v/Start.md`, '---\nstatus: open # by hand\ncount: 1\nraw: { a: 1 }\n---\n# Start\n')
  await writeFile(`${home}/vaults/v/Templates/Meeting.md`, '# {{title}}\n\nOn {{date}}\n')
  await writeFile(
    `${home}/vaults/v/Templates/Daily.md`,
    '---\ndaily-folder: Journal\ndaily-format: "[today]"\n---\n# {{title}} as planned\n',
  )
  svcd = await startSvcd({ home })
  browser = await openBrowser()
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
  expect(troubles).toEqual([])
})

async function open(): Promise<Page> {
  const page = await context.newPage()
  page.on('pageerror', (error) => troubles.push(error.message))
  await page.goto(`${svcd.url}/v/v/Start.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
  // Templates are only known when the tree is.
  await page.getByRole('treeitem', { name: 'Start', exact: true }).waitFor()
  return page
}

/** Enter does nothing until the choice is there. */
async function choose(page: Page, name: string) {
  await page.getByRole('option', { name }).waitFor()
  await page.keyboard.press('Enter')
}

async function command(page: Page, name: string) {
  await page.keyboard.press('Control+p')
  await page.getByRole('combobox', { name: 'Run a command' }).fill(name)
  await page.keyboard.press('Enter')
}

test('two pages open the daily note at once: it is made once, from the template', async () => {
  verifies('ui.daily-notes')
  const pages = await Promise.all([open(), open()])
  await Promise.all(pages.map((page) => command(page, 'note of today')))
  for (const page of pages) {
    await page.getByRole('textbox', { name: 'Note text' }).waitFor()
    expect(decodeURIComponent(new URL(page.url()).pathname)).toBe('/v/v/Journal/today.md')
  }
  expect(await readFile(svcd.file('v', 'Journal/today.md'), 'utf8')).toBe('# today as planned\n')
  await Promise.all(pages.map((page) => page.close()))
})

test('before the tree has come the daily note is made from the template as well', async () => {
  verifies('ui.daily-notes')
  const page = await context.newPage()
  const tree = await holdTree(page)
  await page.goto(`${svcd.url}/v/v/Start.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
  await command(page, 'note of today')
  await until('the tree is asked for once more', () => tree.requests() >= 2)
  tree.release()
  await page.getByRole('textbox', { name: 'Note text' }).waitFor()
  expect(decodeURIComponent(new URL(page.url()).pathname)).toBe('/v/v/Journal/today.md')
  await page.close()
})

test('a note is made from a template that was chosen', async () => {
  verifies('ui.templates')
  const page = await open()
  await command(page, 'from a template')
  await page.getByRole('combobox', { name: 'Template of the new note' }).fill('meet')
  await choose(page, 'Meeting')
  await page.getByRole('textbox', { name: /^Name, with its folder/ }).fill('Monday')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Note text' }).waitFor()
  expect(await readFile(svcd.file('v', 'Monday.md'), 'utf8')).toMatch(/^# Monday\n\nOn \d{4}-\d{2}-\d{2}\n$/)
  await page.close()
})

test('properties are changed as fields, and all else in the front matter stays as it was', async () => {
  verifies('ui.properties')
  const page = await open()
  const file = () => readFile(svcd.file('v', 'Start.md'), 'utf8')
  await page.getByRole('button', { name: 'Change properties' }).click()
  await page.getByRole('textbox', { name: 'status', exact: true }).fill('done')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'count', exact: true }).fill('many')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: '“many” is no number.' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('textbox', { name: 'Name of a new property' }).fill('tags')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Add to tags' }).fill('#new')
  await page.keyboard.press('Enter')
  await page.getByRole('list', { name: 'tags' }).getByText('new', { exact: true }).waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  await page.locator('.save-state', { hasText: /^Saved \d/ }).waitFor()
  const expected =
    /^---\nstatus: done # by hand\ncount: 1\nraw: \{ a: 1 \}\ntags: *(?:\[new\]|\n {2}- new)\n---\n# Start\n$/
  await until('the file has it', async () => expected.test(await file()))
  await page.close()
})

test('a template is put at the cursor of the note that is edited, filled in, as one step of undo', async () => {
  verifies('ui.templates')
  const before = '---\nkind: text\n---\nfirst\nlast\n'
  await writeFile(svcd.file('v', 'Into.md'), before)
  await writeFile(svcd.file('v', 'Templates/Part.md'), '---\nown: value\n---\n## About {{title}}\n')
  const page = await context.newPage()
  page.on('pageerror', (error) => troubles.push(error.message))
  await page.goto(`${svcd.url}/v/v/Into.md`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Note text' }).press('Control+End')
  await command(page, 'Insert a template')
  await page.getByRole('combobox', { name: 'Template to insert' }).fill('Part')
  await choose(page, 'Part')
  const isWritten = (text: string) =>
    until('the note is written', async () => (await readFile(svcd.file('v', 'Into.md'), 'utf8')) === text)
  await isWritten(`${before}## About Into\n`)
  await page.getByRole('textbox', { name: 'Note text' }).press('Control+z')
  await isWritten(before)
  await page.close()
})
