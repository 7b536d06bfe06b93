import { readFile } from 'node:fs/promises'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { holdMessages } from '../support/hold-messages.ts'
import { call, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { homeWith } from '../support/vault-home.ts'
import { openPage } from '../support/vault-page.ts'

let svcd: Svcd
let browser: Browser
let page: Page
const troubles: string[] = []

const row = (cell: string) => `|${`${cell}|`.repeat(12)}\n`
const WIDE = [
  `---\n${Array.from({ length: 10 }, (_, nth) => `property-${nth}: 1\n`).join('')}---\n\n# Wide`,
  `${row(' column ')}${row('---')}${row(' value ')}`,
  'x'.repeat(200),
  `\`${'code '.repeat(40)}\``,
  'words '.repeat(60),
].join('\n\n')

beforeAll(async () => {
  const home = await homeWith({
    'v/Note.md':
      '---\nstate: open\ntags: [one, two/three]\n---\n\n# Note\n\nA needle in [[Plans/Map]].\n\n## Part\n\n- [ ] task\n',
    'v/Plans/Map.md': '# Map\n\nBack to [[Note]]. #one\n',
    // A line of names, a table, a long word and code, each wider than a phone.
    'v/Wide.md': WIDE,
    'v/Other.md': '# Other\n\nNames Map without a link, a needle.\n',
    'v/Gone.md': '# Gone\n',
    'v/Renamed.md': '# Renamed\n',
    'v/Fields.md': '---\nraw: { a: 1 }\n---\n\n# Fields\n',
  })
  svcd = await startSvcd({ home })
  expect(
    (await call(svcd, '/api/vaults/v/notes/Gone.md', { method: 'DELETE', headers: { 'if-match': '*' } })).status,
  ).toBe(200)
  browser = await openBrowser()
  page = await openPage(browser, { troubles, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await holdMessages(page)
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
  expect(troubles).toEqual([])
})

/** Targets that a finger may miss: links and buttons less than 44 pixels high. Links inside sentences are exempt. */
const tooSmall = () =>
  page.evaluate(() => {
    const targets = 'button, select, summary, [role=treeitem], [role=option], [role=tab], input, a'
    // The boxes of tasks are exempt as well: each has a line of its own around it.
    const isInSentence = (element: Element) =>
      (element.matches('a') && element.closest('p, .reading') !== null) || element.matches('.task-box')
    return [...document.querySelectorAll<HTMLElement>(targets)].flatMap((element) => {
      if (!element.checkVisibility({ visibilityProperty: true }) || isInSentence(element)) return []
      // The label of a box or a radio is part of its target.
      const target = element.matches('input') ? (element.closest('label') ?? element) : element
      const { width, height } = target.getBoundingClientRect()
      if (height >= 43.5 || width <= 1 || element.closest('.sr-only')) return []
      return [
        `${element.tagName} ${element.className} “${element.innerText.slice(0, 30) || element.ariaLabel}”: ${height}`,
      ]
    })
  })

test.each<[string, string, string]>([
  ['the home', '', 'v'],
  ['a note', '/Note.md', 'Note'],
  ['the search', '?q=needle', 'v'],
  ['the tags', '?view=tags', 'Tags'],
  ['the links', '?view=graph', 'Links'],
  ['the links around a note', '/Note.md?view=graph', 'Links around Note'],
  ['the deleted notes', '?view=deleted', 'Deleted notes'],
  ['the agents', '?view=agents', 'Agents'],
  ['the history', '/Note.md?view=history', 'Note'],
])('on a phone every target of %s is as high as a finger needs', async (_what, address) => {
  verifies('ui.phone')
  await page.goto(`${svcd.url}/v/v${address}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForLoadState('networkidle')
  if (address === '') await page.getByRole('main').locator('.list-link').first().waitFor()
  expect(await tooSmall()).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
})

test('so are those of the outline, the properties and the editor', async () => {
  verifies('ui.phone')
  await page.goto(`${svcd.url}/v/v/Note.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
  await page.getByRole('button', { name: 'Show or hide outline and properties' }).click()
  await page.locator('.referrers .list-link').first().waitFor()
  expect(await tooSmall()).toEqual([])
  await page.reload()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Note text' }).waitFor()
  expect(await tooSmall()).toEqual([])
})

test('what is wider than the phone makes nothing else wider, where it is read and where it is edited', async () => {
  verifies('ui.phone')
  await page.goto(`${svcd.url}/v/v/Wide.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
  const rightOf = (place: Locator) => place.evaluate((element) => element.getBoundingClientRect().right)
  expect(await rightOf(page.getByRole('article', { name: 'Note' }))).toBeLessThanOrEqual(390)
  await page.getByRole('button', { name: 'Edit' }).click()
  const text = page.getByRole('textbox', { name: 'Note text' })
  await text.getByText('Properties').waitFor()
  await text.getByText('column').first().waitFor()
  expect(await rightOf(text)).toBeLessThanOrEqual(390)
  for (const words of ['words words', 'xxxxx'])
    expect(await rightOf(text.getByText(words).first())).toBeLessThanOrEqual(390)
})

test('Escape closes what lies over the note, and the focus returns to its button', async () => {
  verifies('ui.phone')
  await page.goto(`${svcd.url}/v/v/Note.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
  for (const [name, over] of [
    ['Show or hide outline and properties', page.getByRole('complementary', { name: 'Outline, links and properties' })],
    ['Show or hide the tree', page.getByRole('tree')],
  ] as const) {
    const button = page.getByRole('button', { name })
    await button.click()
    await over.waitFor()
    await page.keyboard.press('Escape')
    await over.waitFor({ state: 'hidden' })
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
  }
})

test('by taps alone, a note is renamed, a folder is made and a file is uploaded', async () => {
  verifies('ui.phone')
  await page.goto(`${svcd.url}/v/v/Renamed.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
  const head = page.getByRole('main')
  const pick = (command: string) =>
    page.getByRole('dialog', { name: 'Run a command' }).getByRole('option', { name: command, exact: true }).tap()
  await head.getByRole('button', { name: 'More' }).tap()
  await pick('Rename or move this note')
  const rename = page.getByRole('dialog', { name: 'Rename or move' })
  await rename.getByLabel('Path').fill('Plans/Newly named')
  await rename.getByRole('button', { name: 'Move', exact: true }).tap()
  await page.waitForURL(`${svcd.url}/v/v/Plans/Newly%20named.md`)

  await head.getByRole('button', { name: 'More' }).tap()
  const chooser = page.waitForEvent('filechooser')
  await pick('Upload files next to this note')
  await (await chooser).setFiles([{ name: 'data.bin', mimeType: '', buffer: Buffer.from('data') }])
  await page.getByText('Uploaded 1 file').waitFor()
  expect(await readFile(svcd.file('v', 'Plans/data.bin'), 'utf8')).toBe('data')

  await page.getByRole('button', { name: 'Show or hide the tree' }).tap()
  const sidebar = page.getByRole('navigation', { name: 'Vault' })
  await sidebar.getByRole('button', { name: 'More' }).tap()
  await pick('New folder')
  await page.getByRole('dialog', { name: 'New folder' }).getByRole('textbox').fill('Made by tap')
  await page.getByRole('button', { name: 'Make folder' }).tap()
  await sidebar.getByRole('treeitem', { name: 'Made by tap' }).waitFor()
})

test('the actions of a note fit on the narrowest phone', async () => {
  verifies('ui.phone')
  await page.setViewportSize({ width: 320, height: 568 })
  await page.goto(`${svcd.url}/v/v/Note.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
  for (const name of ['Read', 'Edit', 'History', 'Delete the note', 'More', 'Show or hide outline and properties']) {
    const { x, width } = (await page.getByRole('main').getByRole('button', { name }).boundingBox())!
    expect([name, x >= 0 && x + width <= 320, width >= 43.5]).toEqual([name, true, true])
  }
  const isCut = (element: Element) => element.scrollWidth > element.clientWidth
  expect(await page.getByRole('group', { name: 'How the note is shown' }).evaluate(isCut)).toBe(false)
  await page.setViewportSize({ width: 390, height: 844 })
})

test('a property that is edited as text is not left below the drawer', async () => {
  verifies('ui.phone')
  await page.goto(`${svcd.url}/v/v/Fields.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
  await page.getByRole('button', { name: 'Show or hide outline and properties' }).click()
  const panel = page.getByRole('complementary', { name: 'Outline, links and properties' })
  await panel.getByRole('button', { name: 'Change properties' }).click()
  await panel.getByRole('button', { name: 'Edit as text' }).click()
  await page.getByRole('textbox', { name: 'Note text' }).getByText('raw: { a: 1 }').waitFor()
  await panel.waitFor({ state: 'hidden' })
})

test('what is opened from a drawer is not left below it', async () => {
  verifies('ui.phone')
  await page.goto(`${svcd.url}/v/v/Note.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
  const panel = page.getByRole('complementary', { name: 'Outline, links and properties' })
  const showPanel = page.getByRole('button', { name: 'Show or hide outline and properties' })
  await showPanel.click()
  await panel.getByRole('region', { name: 'Outline' }).getByText('Part').click()
  await panel.waitFor({ state: 'hidden' })
  await showPanel.click()
  await panel.getByRole('button', { name: 'Show the links around this note' }).click()
  await page.getByRole('heading', { level: 1, name: 'Links around Note' }).waitFor()
  const scrim = page.locator('.scrim')
  await scrim.waitFor({ state: 'hidden' })

  const sidebar = page.getByRole('navigation', { name: 'Vault' })
  for (const name of ['Tags', 'Links', 'Agents', 'Deleted notes']) {
    await page.getByRole('button', { name: 'Show or hide the tree' }).click()
    await sidebar.getByRole('button', { name, exact: true }).click()
    await sidebar.waitFor({ state: 'hidden' })
    await scrim.waitFor({ state: 'hidden' })
  }
})

test('the versions of a note lie over its history, and the one that is picked is shown', async () => {
  verifies('ui.phone')
  const url = `${svcd.url}/api/vaults/v`
  const save = async (body: string, condition: Record<string, string>) => {
    const headers = { 'content-type': 'text/markdown', ...condition }
    expect((await fetch(`${url}/notes/Versions.md`, { method: 'PUT', headers, body })).status).toBeLessThan(300)
  }
  const kept = async () => {
    const { revisions = [] } = (await (await fetch(`${url}/history/Versions.md`)).json()) as { revisions?: unknown[] }
    return revisions.length
  }
  await save('first words\n', { 'if-none-match': '*' })
  await until('the first version is kept', async () => (await kept()) === 1)
  await save('second words\n', { 'if-match': '*' })
  await until('the second version is kept', async () => (await kept()) === 2)

  await page.goto(`${svcd.url}/v/v/Versions.md?view=history`)
  const changes = page.getByRole('article', { name: 'What this version changed' })
  await changes.locator('ins', { hasText: 'second' }).waitFor()
  const versions = page.getByRole('complementary', { name: 'Versions' })
  const button = page.getByRole('button', { name: 'Show or hide the versions' })
  await button.click()
  await versions.getByRole('button').last().waitFor()
  expect(await tooSmall()).toEqual([])
  await page.keyboard.press('Escape')
  await versions.waitFor({ state: 'hidden' })
  await changes.waitFor()
  await button.click()
  await versions.getByRole('button').last().click()
  await versions.waitFor({ state: 'hidden' })
  await changes.locator('ins', { hasText: 'first words' }).waitFor()
})

test('the names that are offered are as high as a finger needs', async () => {
  verifies('ui.phone')
  await page.goto(`${svcd.url}/v/v`)
  await page.getByRole('button', { name: 'Open a note' }).click()
  await page.getByRole('combobox', { name: 'Open a note' }).fill('Map')
  await page.getByRole('option', { name: /Map/ }).waitFor()
  expect(await tooSmall()).toEqual([])
})
