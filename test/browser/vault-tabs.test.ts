import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { holdTree } from '../support/hold-tree.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { homeWith } from '../support/vault-home.ts'

let svcd: Svcd
let browser: Browser
let page: Page
const troubles: string[] = []

beforeAll(async () => {
  const names = ['One', 'Two', 'Three', 'Both', 'sub/Moved']
  const notes = names.map((name) => [`v/${name}.md`, `# ${name}\n\n[[Two]] and [[Three]]\n`])
  svcd = await startSvcd({ home: await homeWith(Object.fromEntries(notes)) })
  browser = await openBrowser()
})

beforeEach(async () => {
  await page?.context().close()
  page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  page.on('pageerror', (error) => troubles.push(error.message))
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
  expect(troubles).toEqual([])
})

const open = async (note: string) => {
  await page.goto(`${svcd.url}/v/v/${note}.md`)
  await heading(note).waitFor()
}
const heading = (name: string, pane = page.getByRole('main')) => pane.getByRole('heading', { name, level: 1 })
const tabs = () => page.locator('.tab a').allInnerTexts()
const shown = () => page.locator('.tab a[aria-current=page]').allInnerTexts()
const address = () => decodeURIComponent(new URL(page.url()).pathname)
const otherPane = () => page.getByRole('region', { name: 'Other pane' })
const are = (names: string[]) =>
  until(`the tabs are ${names.join(', ')}`, async () => String(await tabs()) === String(names))

test('links and lines of the tree open in tabs of their own; keys walk, move, close and reopen them', async () => {
  verifies('ui.tabs')
  await open('One')
  expect(await page.locator('.tab').count()).toBe(0)
  await page
    .getByRole('article')
    .getByRole('link', { name: 'Two' })
    .click({ modifiers: ['Control'] })
  await page.getByRole('treeitem', { name: 'Three' }).click({ button: 'middle' })
  await are(['One', 'Three', 'Two'])
  expect(await shown()).toEqual(['One'])

  await page.keyboard.press('Alt+PageDown')
  await heading('Three').waitFor()
  expect(address()).toBe('/v/v/Three.md')
  await page.keyboard.press('Alt+Shift+PageDown')
  await are(['One', 'Two', 'Three'])
  await page.keyboard.press('Alt+w')
  await heading('Two').waitFor()
  await are(['One', 'Two'])
  await page.keyboard.press('Alt+Shift+w')
  await heading('Three').waitFor()

  await page.goBack()
  await heading('Two').waitFor()
  expect(await shown()).toEqual(['Two'])
  expect(await accessibilityProblems(page)).toEqual([])
  await page.reload()
  await are(['One', 'Two', 'Three'])
})

test('Ctrl+Enter opens a tab from the names of notes; a link from outside takes none away', async () => {
  verifies('ui.tabs')
  await open('One')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Open a note' }).fill('Three')
  await page.getByRole('option', { name: 'Three' }).waitFor()
  await page.keyboard.press('Control+Enter')
  await heading('Three').waitFor()
  await are(['One', 'Three'])
  const other = await page.context().newPage()
  await other.goto(`${svcd.url}/v/v/Two.md`)
  await until('three tabs', async () => (await other.locator('.tab').count()) === 3)
  await page.reload()
  await are(['One', 'Three'])
})

test('before the tree has come Enter on a name makes no note; the names wait for the tree', async () => {
  verifies('ui.tabs')
  const tree = await holdTree(page)
  await open('One')
  await page.keyboard.press('Control+k')
  const names = page.getByRole('dialog', { name: 'Open a note' })
  await names.getByRole('combobox').fill('Three')
  await names.getByText('The vault is being read…').waitFor()
  await page.keyboard.press('Enter')
  tree.release()
  await names.getByRole('option', { name: 'Three' }).waitFor()
  await page.keyboard.press('Enter')
  await heading('Three').waitFor()
})

test('nothing moves when the tabs appear, so that a click meets what it was meant for', async () => {
  verifies('ui.tabs')
  await open('One')
  await page.getByRole('treeitem', { name: 'Three' }).click({ button: 'middle' })
  await are(['One', 'Three'])
  const script = '**/assets/tab-strip-*.js'
  let load = () => {}
  const loaded = new Promise<void>((resolve) => (load = resolve))
  await page.route(script, async (route) => {
    await loaded
    await route.continue()
  })
  await page.reload()
  await heading('One').waitFor()
  const edit = page.getByRole('button', { name: 'Edit' })
  const before = await edit.boundingBox()
  expect(await page.locator('.tab').count()).toBe(0)
  load()
  await are(['One', 'Three'])
  expect((await edit.boundingBox())?.y).toBe(before?.y)
})

test('two panes edit one note as one session; undo is kept when a tab is left', async () => {
  verifies('ui.panes')
  await open('Both')
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Note text' }).waitFor()
  await page.keyboard.press('Alt+s')
  await otherPane().waitFor()
  await heading('Both').waitFor()
  await page.getByRole('main').getByRole('button', { name: 'Edit' }).click()
  const [left, right] = [otherPane(), page.getByRole('main')].map((pane) =>
    pane.getByRole('textbox', { name: 'Note text' }),
  )
  await right!.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('from the right')
  await until('the left pane has it', async () => /from the right/.test(await left!.innerText()))
  const leftId = page.locator('.pane[data-pane="0"]').getByRole('textbox', { name: 'Note text' })
  await leftId.click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('left ')
  const rightId = page.locator('.pane[data-pane="1"]').getByRole('textbox', { name: 'Note text' })
  await until('the right pane has it', async () => (await rightId.innerText()).startsWith('left # Both'))
  await page
    .locator('.save-state', { hasText: /^Saved \d/ })
    .first()
    .waitFor()
  const file = () => readFile(svcd.file('v', 'Both.md'), 'utf8')
  await until('both are in the file', async () => /^left # Both\n[^]*from the right$/.test(await file()))

  // Open another note in this tab and come back: the typed text can still be undone.
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Open a note' }).fill('One')
  await page.getByRole('option', { name: 'One' }).waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('main').getByText('One', { exact: true }).first().waitFor()
  await page.keyboard.press('Alt+PageUp')
  await leftId.click()
  // Slow typing is undone in several steps.
  await until('it is undone in both', async () => {
    await page.keyboard.press('Control+z')
    // While the cursor is elsewhere, the heading is shown without its mark.
    return /^(?:# )?Both/.test(await rightId.innerText())
  })
})

test('each pane has its own note; the address is that of the pane with the focus, and moves and deletions follow', async () => {
  verifies('ui.panes')
  await open('One')
  await page.keyboard.press('Alt+s')
  await otherPane().waitFor()
  await page.getByRole('treeitem', { name: 'sub' }).click()
  await page.getByRole('treeitem', { name: 'Moved' }).click()
  await heading('sub/Moved').waitFor()
  await heading('One', otherPane()).waitFor()
  expect(address()).toBe('/v/v/sub/Moved.md')
  expect(await accessibilityProblems(page)).toEqual([])
  await page.keyboard.press('Alt+o')
  await heading('One').waitFor()
  expect(address()).toBe('/v/v/One.md')

  await page.getByRole('treeitem', { name: 'sub' }).focus()
  const moved = await page.request.post(`${svcd.url}/api/vaults/v/move`, { data: { from: 'Two.md', to: 'Zwei.md' } })
  expect(moved.ok()).toBe(true)
  await page.getByRole('treeitem', { name: 'Moved' }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await until('its pane went with it', async () => (await otherPane().count()) === 0)
  await heading('One').waitFor()

  await page.keyboard.press('Alt+s')
  await otherPane().waitFor()
  await page.setViewportSize({ width: 390, height: 800 })
  await until('a phone shows one pane', async () => !(await page.locator('.pane[data-focused=false]').isVisible()))
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
  await page.reload()
  await heading('One').waitFor()
  await page.setViewportSize({ width: 1280, height: 800 })
  await otherPane().waitFor()
  await page.getByRole('button', { name: 'One pane again' }).first().click()
  await until('one pane is left', async () => (await page.locator('.pane').count()) === 1)
})
