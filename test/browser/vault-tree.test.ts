import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { dropFiles } from '../support/drop-files.ts'
import { holdMessages } from '../support/hold-messages.ts'
import type { Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { vaultInBrowser } from '../support/vault-in-browser.ts'

let svcd: Svcd
let page: Page

const vault = vaultInBrowser({
  'v/Start.md': '# Start\n\nSee [[Plans/Road map]] and [[Plans/Road map|the map]].\n',
  'v/Mention.md': '# Mention\n\nThe Road map is not linked here.\n',
  'v/Plans/Road map.md': '---\nstate: open\n---\n\n# Road map\n\n## Steps\n\nText\n',
  'v/Archive/Old.md': '# Old\n',
  ...Object.fromEntries(Array.from({ length: 90 }, (_, nth) => [`long/Note ${10 + nth}.md`, `# Note ${10 + nth}\n`])),
  'v/.svc/folders.yml': 'folders:\n  Plans:\n    order: 1\n    displayName: Our plans\n',
})

beforeEach(async () => {
  ;({ svcd, page } = vault.now())
  await holdMessages(page)
  await page.goto(`${svcd.url}/v/v/Plans/Road%20map.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
})

const line = (name: string) => page.getByRole('treeitem', { name, exact: true })
const text = (path: string, vault = 'v') => readFile(svcd.file(vault, path), 'utf8')
/** The undo button of the message, which is shown until the pointer leaves it. */
const undo = () => page.getByRole('status').getByRole('button', { name: 'Undo' })

/** Opens the dialog for the open note by its shortcut; the last part of the path is selected. */
async function openRename() {
  await line('Road map').waitFor()
  await page.getByRole('tree').focus()
  await page.keyboard.press('F2')
  const dialog = page.getByRole('dialog', { name: 'Rename or move' })
  await page.waitForFunction(() => (document.activeElement as HTMLInputElement | null)?.labels?.[0] !== undefined)
  return dialog
}
const isThere = (path: string, vault = 'v') =>
  stat(svcd.file(vault, path)).then(
    () => true,
    () => false,
  )

test('the tree keeps the order and the names of folders.yml', async () => {
  verifies('ui.tree-order')
  const names = () => page.getByRole('treeitem').evaluateAll((lines) => lines.map((one) => one.ariaLabel))
  await expect.poll(names).toEqual(['Our plans', 'Road map', 'Archive', 'Mention', 'Start'])
})

test('beside a note stand the notes that link to it, and those that only name it', async () => {
  verifies('ui.backlinks')
  const panel = page.getByRole('region', { name: 'Linked from' })
  await panel.getByRole('link', { name: /^Start.*See/ }).waitFor()
  await panel.getByRole('heading', { name: 'Named without a link' }).waitFor()
  await panel.getByRole('link', { name: /^Mention/ }).click()
  await page.getByRole('heading', { name: 'Mention', level: 1 }).waitFor()
})

test('F2 renames a note; the links that will be rewritten are shown first, and Undo takes it back', async () => {
  verifies('ui.tree-move')
  const dialog = await openRename()
  // The plan is computed again each time the person stops typing.
  const planned = page.waitForResponse((response) => response.request().postData()?.includes('Plans/Way.md') ?? false)
  await page.keyboard.type('Way')
  await planned
  await dialog.getByText('2 links in 1 note will be rewritten').click()
  await dialog.getByText('Start.md').waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  expect(await isThere('Plans/Way.md')).toBe(false)
  await dialog.getByRole('button', { name: 'Move' }).click()
  await undo().hover()
  await line('Way').waitFor()
  await page.waitForURL(`${svcd.url}/v/v/Plans/Way.md`)
  expect(await text('Start.md')).toContain('[[Plans/Way]]')

  await undo().click()
  await line('Road map').waitFor()
  const before = '[[Plans/Road map]] and [[Plans/Road map|the map]]'
  await until('the links are as before', async () => (await text('Start.md')).includes(before))
})

test('a name that is taken is refused in place', async () => {
  verifies('ui.tree-move')
  const dialog = await openRename()
  await dialog.getByLabel('Path').fill('Archive/Old')
  await dialog.getByRole('alert').filter({ hasText: 'Choose another' }).waitFor()
  expect(await dialog.getByRole('button', { name: 'Move' }).isDisabled()).toBe(true)
})

test('a note dragged onto a folder asks before it moves', async () => {
  verifies('ui.tree-move')
  await line('Mention').dragTo(line('Archive'))
  const dialog = page.getByRole('dialog', { name: 'Rename or move' })
  expect(await dialog.getByLabel('Path').inputValue()).toBe('Archive/Mention.md')
  await dialog.getByText('No links need to change').waitFor()
  await dialog.getByRole('button', { name: 'Move' }).click()
  await until('the note has moved', () => isThere('Archive/Mention.md'))
})

test('the menu of a line makes a folder in it, by keyboard', async () => {
  verifies('ui.tree-menu')
  await line('Archive').click({ button: 'right' })
  const menu = page.getByRole('menu', { name: 'Archive' })
  await menu.waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'New folder' })
  await dialog.getByRole('textbox').fill('Archive/2025')
  await page.keyboard.press('Enter')
  await until('the folder is there', () => isThere('Archive/2025'))
  await page.getByText('Made the folder Archive/2025').waitFor()
})

test('Delete puts a folder into the trash, and Undo brings it back with all that is in it', async () => {
  verifies('ui.tree-menu')
  await line('Archive').click()
  await page.keyboard.press('Delete')
  await undo().hover()
  expect(await isThere('Archive/Old.md')).toBe(false)
  await undo().click()
  await until('the folder is back', () => isThere('Archive/Old.md'))
})

test('files are uploaded into a folder, and one that is there is never replaced', async () => {
  verifies('ui.tree-upload')
  await line('Archive').click({ button: 'right' })
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: 'Upload files here' }).click()
  const file = (name: string) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(`new ${name}`) })
  await (await chooser).setFiles([file('Old.md'), file('New.md'), file('data.bin')])
  await page.getByText('Uploaded 2 files. Not uploaded: Old.md: exists already').waitFor()
  expect(await Promise.all(['Old.md', 'New.md', 'data.bin'].map((name) => text(`Archive/${name}`)))).toEqual([
    '# Old\n',
    'new New.md',
    'new data.bin',
  ])
})

test('a drag that leaves the tree or is given up marks no folder any more', async () => {
  verifies('ui.tree-move')
  const marked = page.locator('.tree-line[data-over]')
  for (const giveUp of ['leave', 'escape'] as const) {
    await line('Start').hover()
    await page.mouse.down()
    // In steps, as a hand does: a jump begins no drag over the line.
    const { x, y } = (await line('Archive').boundingBox())!
    await page.mouse.move(x + 60, y + 10, { steps: 5 })
    await expect.poll(() => marked.count()).toBe(1)
    if (giveUp === 'leave') await page.getByRole('article', { name: 'Note' }).hover()
    else await page.keyboard.press('Escape')
    await expect.poll(() => marked.count()).toBe(0)
    await page.mouse.up()
  }
})

test('a dropped folder is refused by name; a note that is not UTF-8 is not stored', async () => {
  verifies('ui.tree-upload')
  const folder = join(svcd.home, 'dropped')
  const files = { folder: join(folder, 'Inner'), latin: join(folder, 'Latin.md') }
  await mkdir(files.folder, { recursive: true })
  await writeFile(files.latin, Buffer.from([0x63, 0x61, 0x66, 0xe9]))
  await dropFiles(page, line('Start'), [files.folder, files.latin])
  await page
    .getByText('Uploaded 0 files. Not uploaded: Inner: is a folder or cannot be read; Latin.md: is not UTF-8 text')
    .waitFor()
  expect(await isThere('Latin.md')).toBe(false)
  expect(await page.getByText('The host does not answer').count()).toBe(0)
})

test('the tree stays where it was scrolled to when others add files, until another line gets the focus', async () => {
  verifies('ui.tree-scroll')
  await page.goto(`${svcd.url}/v/long/Note%2070.md`)
  const tree = page.getByRole('tree')
  const top = () => tree.evaluate((element) => element.scrollTop)
  await line('Note 70').waitFor()
  await until('the open note is in view', async () => (await top()) > 0)
  await tree.evaluate((element) => element.scrollTo({ top: 0 }))
  for (const name of ['A', 'B']) {
    await writeFile(svcd.file('long', `${name}.md`), `# ${name}\n`)
    await line(name).waitFor()
  }
  expect(await top()).toBe(0)
  await tree.focus()
  await page.keyboard.press('ArrowDown')
  await until('the line with the focus is in view', async () => (await top()) > 0)
})

test('after Delete on the open note the focus stays in the tree, at the line after it', async () => {
  verifies('ui.tree-delete')
  await page.goto(`${svcd.url}/v/long/Note%2040.md`)
  await page.getByRole('button', { name: 'Edit' }).click()
  const editor = page.getByRole('textbox', { name: 'Note text' })
  await editor.getByText('Note 40').waitFor()
  const tree = page.getByRole('tree')
  await tree.focus()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Control+Enter')
  await editor.getByText('Note 38').waitFor()
  // A step to another tab goes to its text, also from the tree.
  for (const shown of ['Note 40', 'Note 38']) {
    await tree.focus()
    await page.keyboard.press('Alt+PageDown')
    await editor.getByText(shown).waitFor()
    await until('the text has the focus', () => editor.evaluate((text) => text.matches(':focus')))
  }
  await tree.focus()
  await page.keyboard.press('Delete')
  await page.waitForURL('**/v/long/Note%2040.md')
  await editor.getByText('Note 40').waitFor()
  const focused = await page.evaluate(() => document.activeElement?.getAttribute('aria-activedescendant'))
  expect(focused).toBe(await line('Note 39').getAttribute('id'))
  await page.keyboard.press('Delete')
  await until('the next note is deleted', async () => !(await isThere('Note 39.md', 'long')))
  expect(await text('Note 40.md', 'long')).toBe('# Note 40\n')
})

test('after Undo by keyboard, the next message goes away like any other', async () => {
  verifies('ui.tree-menu')
  // A page whose messages are not held.
  const page = await vault.now().page.context().browser()!.newPage()
  const line = (name: string) => page.getByRole('treeitem', { name, exact: true })
  await page.goto(`${svcd.url}/v/long/Note%2010.md`)
  await line('Note 12').click()
  await page.keyboard.press('Delete')
  const undo = page.getByRole('status').getByRole('button', { name: 'Undo' })
  await undo.focus()
  await page.keyboard.press('Enter')
  await until('the note is back', () => isThere('Note 12.md', 'long'))
  await undo.waitFor({ state: 'detached' })
  await line('Note 13').click()
  await page.keyboard.press('Delete')
  const message = page.getByRole('status').getByText('Deleted “Note 13”')
  await message.waitFor()
  await message.waitFor({ state: 'detached' })
  await page.close()
})

test('a note with unsaved text is not moved, and the dialog says so', async () => {
  verifies('ui.tree-move')
  await page.routeWebSocket(/\/live/, (socket) => {
    const server = socket.connectToServer()
    // What is typed never arrives.
    socket.onMessage((message) => {
      if (!message.toString().includes('"push"')) server.send(message)
    })
  })
  await page.goto(`${svcd.url}/v/long/Note%2020.md`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Note text' }).click()
  await page.keyboard.type('unsaved')
  await line('Note 20').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Rename or move' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rename or move' })
  await dialog.getByLabel('Path').fill('Moved/Note 20')
  await dialog.getByText('No links need to change').waitFor()
  await dialog.getByRole('button', { name: 'Move' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'text that is not saved yet' }).waitFor()
  expect(await isThere('Note 20.md', 'long')).toBe(true)
})

test('axe finds nothing on the pages of a vault, light and dark', async () => {
  verifies('ui.accessible')
  const places = ['/v/v', '/v/v/Plans/Road%20map.md', '/v/v?view=deleted', '/v/v/Start.md?view=history', '/v/nowhere']
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    for (const place of places) {
      await page.goto(svcd.url + place)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      if (place.endsWith('history'))
        await page.getByRole('article', { name: 'What this version changed' }).locator('ins').first().waitFor()
      expect([place, scheme, await accessibilityProblems(page)]).toEqual([place, scheme, []])
      expect(await page.title()).not.toBe('')
    }
  }
  await page.goto(`${svcd.url}/v/v`)
  await page.getByRole('button', { name: 'Vault v' }).click()
  expect(await accessibilityProblems(page)).toEqual([])
})
