import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { replaceFile } from '../support/replace-file.ts'
import { newHome, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

let svcd: Svcd
let browser: Browser
let context: BrowserContext
const troubles: string[] = []

const LOOKS = `Start here

# Heading with *stress*

Some **bold** words, \`code\`, [[Other|a link]], [site](https://example.test) and $x^2$.

- one
  - two
- [ ] to do
- [x] done

> [!warning] Mind this
> The text of it.

\`\`\`js
const answer = 42
\`\`\`

$$
\\frac{1}{2}
$$

![[picture.svg]]

![[Other]]

The end
`

const TABLE = `Above

| Name | Count |
| :--- | ----: |
| one  |     1 |
| two  |     2 |

Below
`

/** A note just below the limit: with a few more letters, the editor parses no Markdown in it. */
const LIMIT = `${TABLE}\n${'A line of words.\n'.repeat(30_000)}`.slice(0, 499_990)

beforeAll(async () => {
  const home = await newHome()
  await mkdir(`${home}/vaults/v`, { recursive: true })
  await writeFile(`${home}/vaults/v/Looks.md`, LOOKS)
  await writeFile(`${home}/vaults/v/Other.md`, '# Other\n\nEmbedded words\n')
  await writeFile(
    `${home}/vaults/v/picture.svg`,
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="#c33"/></svg>',
  )
  for (const name of ['Cells', 'Rows', 'Shared', 'Slow', 'Seen', 'Look'])
    await writeFile(`${home}/vaults/v/${name}.md`, TABLE)
  await writeFile(`${home}/vaults/v/Limit.md`, LIMIT)
  svcd = await startSvcd({ home })
  browser = await openBrowser()
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
  expect(troubles).toEqual([])
})

async function edit(note: string): Promise<Page> {
  const page = await context.newPage()
  page.on('pageerror', (error) => troubles.push(error.message))
  page.on('console', (message) => {
    // A request may be refused, for example for a note that somebody changed in the meantime. The CSP may not be
    // violated.
    if (message.text().includes('Content Security Policy')) troubles.push(message.text())
  })
  await page.goto(`${svcd.url}/v/v/${note}.md`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await editor(page).waitFor()
  return page
}

const editor = (page: Page) => page.getByRole('textbox', { name: 'Note text' })
const line = (page: Page, text: string) => page.locator('.cm-line', { hasText: text })
const file = (note: string) => readFile(svcd.file('v', `${note}.md`), 'utf8')
const isWritten = (note: string, text: string) => until(`${note} is written`, async () => (await file(note)) === text)
const grid = (page: Page) => page.getByRole('grid', { name: 'Table' })
const cell = (page: Page, text: string): Locator => grid(page).locator('td, th').filter({ hasText: text })
/** The field of the edited cell. */
const field = (page: Page) => page.locator('.cm-cell-field')

test('what the Markdown means is shown while it is edited, and the Markdown where the cursor is', async () => {
  verifies('ui.live-preview')
  const page = await edit('Looks')
  await line(page, 'Heading with stress').waitFor()
  const drawn = page.locator('.cm-line', { hasText: /^Some bold words, code, a link, site and / })
  await drawn.waitFor()
  await page.locator('.cm-line math').first().waitFor()
  await page.locator('.cm-rendered-block math mfrac').waitFor()
  await page.locator('.cm-rendered img[src*="picture.svg"]').waitFor()
  await page.locator('.cm-rendered .embed', { hasText: 'Embedded words' }).waitFor()
  await page.locator('.cm-callout-head svg').waitFor()
  await page
    .locator('.cm-line.cm-code', { hasText: 'const answer' })
    .locator('span', { hasText: 'const' })
    .first()
    .waitFor()

  await line(page, 'Heading with').click()
  await line(page, '# Heading with *stress*').waitFor()
  await drawn.waitFor()
  await line(page, 'Some').click()
  await line(page, 'Some **bold** words').waitFor()
  expect(await file('Looks')).toBe(LOOKS)

  await page.getByRole('button', { name: 'Show the Markdown' }).click()
  await line(page, '# Heading with *stress*').waitFor()
  await line(page, '![[Other]]').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Edit' }).click()
  await line(page, '# Heading with *stress*').waitFor()
  await page.keyboard.press('Control+Shift+e')
  await line(page, 'Heading with stress').waitFor()
  await page.close()
})

test('a task is ticked, and links are followed, without leaving the editor’s text', async () => {
  verifies('ui.live-preview')
  const page = await edit('Looks')
  await line(page, 'to do').getByRole('checkbox').click()
  await isWritten('Looks', LOOKS.replace('[ ] to do', '[x] to do'))
  await page.getByText('a link', { exact: true }).click({ modifiers: ['Control'] })
  await page.waitForURL('**/Other.md')
  await page.close()
})

test('the cells of a table are edited with the keys, and the rest of it stays as it was', async () => {
  verifies('ui.tables')
  const page = await edit('Cells')
  await cell(page, 'one').click()
  await page.keyboard.type(' and a|half')
  await isWritten('Cells', TABLE.replace('| one  |', '| one and a\\|half  |'))
  await page.keyboard.press('Tab')
  await until('the next cell is edited', async () => (await field(page).inputValue()) === '1')
  await page.keyboard.type('7')
  await page.keyboard.press('Enter')
  await until('the cell below is edited', async () => (await field(page).inputValue()) === '2')
  await page.keyboard.press('Tab')
  await page.keyboard.type('three')
  await isWritten(
    'Cells',
    TABLE.replace('| one  |     1 |', '| one and a\\|half  |     7 |').replace('2 |\n', '2 |\n| three |  |\n'),
  )
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await until('the head is edited', async () => (await field(page).inputValue()) === 'Name')
  await page.keyboard.press('ArrowUp')
  await field(page).waitFor({ state: 'detached' })
  await page.keyboard.type('x')
  await until('the line above is edited', async () => (await file('Cells')).startsWith('Above\nx\n|'))
  await page.close()
})

test('rows and columns are added, moved and deleted by keys and menu; each act is one step of undo', async () => {
  verifies('ui.tables')
  const page = await edit('Rows')
  await cell(page, 'one').click()
  await page.keyboard.press('Alt+ArrowDown')
  const moved = TABLE.replace('| one  |     1 |\n| two  |     2 |', '| two  |     2 |\n| one  |     1 |')
  await isWritten('Rows', moved)
  await page.keyboard.press('Alt+ArrowRight')
  const swapped = 'Above\n\n| Count | Name |\n| ----: | :--- |\n|     2 | two  |\n|     1 | one  |\n\nBelow\n'
  await isWritten('Rows', swapped)
  await page.getByRole('button', { name: 'Rows and columns' }).click()
  await page.getByRole('menuitem', { name: 'Delete row' }).click()
  await isWritten('Rows', swapped.replace('|     1 | one  |\n', ''))
  await page.keyboard.press('Control+z')
  await isWritten('Rows', swapped)
  await page.keyboard.press('Control+z')
  await isWritten('Rows', moved)
  await page.keyboard.press('Control+z')
  await isWritten('Rows', TABLE)
  await page.keyboard.press('Control+Shift+z')
  await isWritten('Rows', moved)
  await page.close()
})

test('the cell that somebody types in stays theirs while others change the table', async () => {
  verifies('ui.tables')
  const [ada, ben] = [await edit('Shared'), await edit('Shared')]
  await cell(ada, 'two').click()
  await cell(ben, 'Name').click()
  await ben.keyboard.press('Alt+Shift+ArrowDown')
  await until('the new row is shown', async () => (await grid(ada).locator('tr').count()) === 4)
  await ada.keyboard.type(' more')
  await isWritten('Shared', TABLE.replace('| one', '|  |  |\n| one').replace('| two  |', '| two more  |'))
  await cell(ben, 'two more').waitFor()
  await Promise.all([ada.close(), ben.close()])
})

test('a slow machine does not take the cell away from somebody who types in it', async () => {
  verifies('ui.tables')
  const [ada, ben] = [await edit('Slow'), await edit('Slow')]
  await cell(ada, 'two').click()
  // From now on the parser runs out of time after every block, as on a busy machine.
  await ada.evaluate(() => {
    const now = Date.now
    let late = 0
    Date.now = () => now() + (late += 50)
  })
  await ada.keyboard.type(' more')
  await editor(ben).press('Control+Home')
  await ben.keyboard.type('Further up\n\nThen\n\n')
  await line(ada, 'Then').waitFor()
  await ada.keyboard.type(' still')
  await isWritten('Slow', `Further up\n\nThen\n\n${TABLE.replace('| two  |', '| two more still  |')}`)
  await Promise.all([ada.close(), ben.close()])
})

test('a cell that is typed in when its table turns into Markdown leaves the cursor in its words', async () => {
  verifies('ui.tables', 'ui.long-note')
  const ada = await edit('Limit')
  await cell(ada, 'two').click()
  await ada.keyboard.type(' more and more words')
  await ada.locator('.cm-as-written-notice').waitFor()
  await ada.keyboard.type(' still')
  const written = LIMIT.replace('| two  |', '| two more and more words still  |')
  await isWritten('Limit', written)
  // The note becomes short enough for the table to be drawn again, although the cursor is elsewhere.
  await replaceFile(svcd, svcd.file('v', 'Limit.md'), written.slice(0, 400_000))
  await ada.locator('.cm-as-written-notice').waitFor({ state: 'detached' })
  await ada.keyboard.type(' again')
  await isWritten('Limit', written.slice(0, 400_000).replace('still  |', 'still again  |'))
  await ada.close()
})

test('another look of the editor leaves the cursor in the cell that was typed in', async () => {
  verifies('ui.tables', 'ui.live-preview')
  const ada = await edit('Look')
  await cell(ada, 'two').click()
  await ada.keyboard.type(' | more')
  await ada.keyboard.press('ArrowLeft')
  await ada.keyboard.press('Control+Shift+e')
  await grid(ada).waitFor({ state: 'detached' })
  await ada.keyboard.type('xy')
  await isWritten('Look', TABLE.replace('| two  |', '| two \\| morxye  |'))
  // The browser remembers the look.
  await line(ada, 'Below').click()
  await ada.keyboard.press('Control+Shift+e')
  await grid(ada).waitFor()
  await ada.close()
})

test('a person in a table sees the cells that others write in and select', async () => {
  verifies('ui.tables', 'ui.presence')
  const [ada, ben] = [await edit('Seen'), await edit('Seen')]
  const theirCell = (page: Page, text: string) => cell(page, text).locator('.cm-their-cell-head')
  const nobodyElse = (page: Page) => page.locator('.cm-their-cell, .cm-their-caret')
  await cell(ben, 'one').click()
  // On a slow machine, a mark may already have faded when the test looks for it, so it only needs to exist.
  const isMarked = (text: string) => theirCell(ada, text).waitFor({ state: 'attached' })
  await isMarked('one')
  await ben.keyboard.press('Tab')
  await isMarked('1')
  await until('the mark has moved', async () => (await nobodyElse(ada).count()) === 1)

  // The name appears under the pointer.
  const name = theirCell(ada, '1').locator('.cm-their-name')
  const isNamed = () => name.evaluate((element) => getComputedStyle(element).visibility === 'visible')
  await ada.mouse.move(0, 0)
  expect([await name.textContent(), await isNamed()]).toEqual(['This computer', false])
  await cell(ada, '1').hover()
  await until('the name is shown', isNamed)

  // The mark stays at its cell when this person adds a row above it and types elsewhere.
  await cell(ada, 'Name').click()
  await ada.keyboard.press('Alt+Shift+ArrowDown')
  await ada.keyboard.type('new')
  await isWritten('Seen', TABLE.replace('| one', '| new |  |\n| one'))
  await isMarked('1')

  await ben.keyboard.press('Escape')
  await editor(ben).press('Control+a')
  await until('the selection is shown', async () => (await ada.locator('.cm-their-cell-selected').count()) === 8)
  await editor(ben).press('Control+Home')
  await until('nobody is in the table', async () => (await ada.locator('.cm-their-cell').count()) === 0)
  await Promise.all([ada.close(), ben.close()])
})
