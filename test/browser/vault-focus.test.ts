import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import type { Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { vaultInBrowser } from '../support/vault-in-browser.ts'

let svcd: Svcd
let page: Page

const names = ['One', 'Two', 'Slow', 'Keys', 'Back', 'Late']
const vault = vaultInBrowser(Object.fromEntries(names.map((name) => [`v/${name}.md`, `# ${name}\n`])))

beforeEach(() => {
  ;({ svcd, page } = vault.now())
})

const open = async (note: string) => {
  await page.goto(`${svcd.url}/v/v/${note}.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
}
const file = (note: string) => readFile(svcd.file('v', `${note}.md`), 'utf8')
const editor = () => page.getByRole('textbox', { name: 'Note text' })
const searchBox = () => page.getByRole('searchbox', { name: 'Search notes' })
const history = () => page.getByRole('heading', { name: 'History', exact: true })
const hasFocus = (selector: string) =>
  until(`${selector} has the focus`, () =>
    page.evaluate((it) => document.activeElement?.matches(it) ?? false, selector),
  )

test('keys that are typed in one pane do nothing to the history in the other', async () => {
  verifies('ui.panes')
  await open('One')
  await page.keyboard.press('Alt+s')
  await page.getByRole('region', { name: 'Other pane' }).waitFor()
  await page.getByRole('treeitem', { name: 'Two' }).click()
  const [left, right] = [page.locator('.pane[data-pane="0"]'), page.locator('.pane[data-pane="1"]')]
  await right.getByRole('heading', { name: 'Two', level: 1 }).waitFor()
  await left.getByRole('button', { name: 'History' }).click()
  await history().waitFor()
  await right.getByRole('button', { name: 'Edit' }).click()
  await editor().click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('[[One')
  await page.getByRole('option', { name: 'One' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.type(', and on')
  await until('it is in the note that was written', async () => (await file('Two')).includes('[[One, and on'))
  expect(await history().count()).toBe(1)
  expect(await file('One')).toBe('# One\n')
})

test('Escape that closes a dialog stays in the history; the next one leaves it', async () => {
  await open('Keys')
  await page.getByRole('button', { name: 'History' }).click()
  await history().waitFor()
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keys' })
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await history().count()).toBe(1)
  await page.keyboard.press('Escape')
  await page.getByRole('article', { name: 'Note' }).waitFor()
})

test('an editor that arrives late leaves the focus to the search that somebody types in', async () => {
  const held = Promise.withResolvers<void>()
  await page.route('**/assets/source-view-*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  await open('Slow')
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.keyboard.press('Control+Shift+f')
  await page.keyboard.type('half a ')
  held.resolve()
  await editor().waitFor()
  await page.keyboard.type('query')
  expect(await searchBox().inputValue()).toBe('half a query')
  expect(await editor().innerText()).not.toContain('query')
})

test('an editor whose note is read slowly takes no focus from a field that somebody types in', async () => {
  await open('One')
  await page.keyboard.press('Control+e')
  await hasFocus('.editor-host')
  const held = Promise.withResolvers<void>()
  await page.route('**/notes/Two.md*', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.getByRole('treeitem', { name: 'Two' }).click()
  await page.getByRole('status', { name: 'Loading the note' }).waitFor()
  await searchBox().click()
  await page.keyboard.type('quer')
  held.resolve()
  await editor().getByText('# Two').waitFor()
  await page.keyboard.type('y')
  expect(await searchBox().inputValue()).toBe('query')
  await hasFocus('input[type=search]')
})

test('an editor that is requested from the search takes the focus, also through the palette, unless somebody types on', async () => {
  const held = Promise.withResolvers<void>()
  await page.route('**/assets/source-view-*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  await open('Late')
  await searchBox().fill('half a ')
  const asked = page.waitForRequest('**/assets/source-view-*.js')
  await page.keyboard.press('Control+e')
  await asked
  await page.keyboard.type('query')
  held.resolve()
  await editor().waitFor()
  expect(await searchBox().inputValue()).toBe('half a query')
  await hasFocus('input[type=search]')

  await page.keyboard.press('Control+e')
  await editor().waitFor({ state: 'detached' })
  await page.keyboard.press('Control+e')
  await hasFocus('.editor-host')

  await page.keyboard.press('Control+e')
  await editor().waitFor({ state: 'detached' })
  await searchBox().fill('')
  await page.keyboard.press('Control+p')
  await page.getByRole('combobox', { name: 'Run a command' }).fill('switch between')
  await page.getByRole('option', { name: 'Switch between reading and editing' }).waitFor()
  await page.keyboard.press('Enter')
  await hasFocus('.editor-host')

  await searchBox().fill('')
  await page.keyboard.press('Control+p')
  await page.getByRole('combobox', { name: 'Run a command' }).fill('note of today')
  await page.getByRole('option', { name: 'Open the note of today' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => !url.pathname.endsWith('/Late.md'))
  await hasFocus('.editor-host')
  expect(await searchBox().inputValue()).toBe('')
})

test('a dialog stays when a selection is dragged out of it, and closes at a click beside it', async () => {
  await open('Back')
  await page.keyboard.press('Alt+n')
  const dialog = page.getByRole('dialog', { name: 'New note' })
  const name = dialog.getByRole('textbox')
  await name.fill('Folder/A name')
  const { x, y, height } = (await name.boundingBox())!
  await page.mouse.move(x + 60, y + height / 2)
  await page.mouse.down()
  await page.mouse.move(5, 5)
  await page.mouse.up()
  expect(await name.inputValue()).toBe('Folder/A name')
  await page.mouse.click(5, 5)
  await dialog.waitFor({ state: 'detached' })
})

test('the focus returns from a dialog to the editor and to the search; a note that the dialog makes takes it', async () => {
  await open('Back')
  await page.getByRole('button', { name: 'Edit' }).click()
  await editor().click()
  const switcher = page.getByRole('combobox', { name: 'Open a note' })
  const lookAndLeave = async () => {
    await page.keyboard.press('Control+k')
    await switcher.waitFor()
    await page.keyboard.press('Escape')
    await switcher.waitFor({ state: 'detached' })
  }
  await lookAndLeave()
  await hasFocus('.editor-host')
  await page.keyboard.press('Control+End')
  await page.keyboard.type('typed on')
  await until('it is in the file', async () => (await file('Back')).endsWith('typed on'))
  await searchBox().focus()
  await lookAndLeave()
  await hasFocus('input[type=search]')

  await page.keyboard.press('Alt+n')
  await page.getByRole('dialog', { name: 'New note' }).getByRole('textbox').fill('Fresh')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/Fresh.md')
  await hasFocus('.editor-host')
  await page.keyboard.type('first words')
  await until('they are in the new note', async () => (await file('Fresh')) === 'first words')
})
