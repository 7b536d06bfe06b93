import { mkdir, writeFile } from 'node:fs/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hostileNames, hostileNotes } from '../corpus/hostile-markup.ts'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { newHome, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { arming, eachPolicy } from './hostile-page/each-policy.ts'
import { expectNothingRan, watchPages } from './hostile-page/expect-nothing-ran.ts'

// Hostile texts where notes are written: each in the editor with live preview, in cells of a drawn table, in templates
// and in the news. With and without the CSP of the page, as for the reading view.

let svcd: Svcd
let browser: Browser

const armed = arming()
/** Diagrams are left out: they are drawn in a frame of their own, which the tests of the reading view attack. */
const { mermaid: _drawnElsewhere, ...written } = hostileNotes
const texts = Object.values(written).flat()
/** The texts in the form that they have in a table cell. */
const cells = [...texts, ...hostileNames].map((text) => text.replaceAll(/[\r\n]+/g, ' ').replaceAll('|', '\\|'))

beforeAll(async () => {
  const home = await newHome()
  const vault = `${home}/vaults/v`
  await mkdir(`${vault}/Templates`, { recursive: true })
  await writeFile(`${vault}/Edited.md`, 'Edited\n')
  for (const name of hostileNames)
    await writeFile(`${vault}/Templates/${armed(name)}.md`, armed(`# ${name}\n\n${name}\n`))
  await writeFile(`${vault}/Templates/Whole.md`, armed(hostileNotes.html.join('\n\n')))
  svcd = await startSvcd({ home })
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
})

eachPolicy(
  () => ({ browser, svcd }),
  ({ page: shown, nothingRan }) => {
    let page: Page
    beforeAll(() => void (page = shown()))

    const editor = () => page.getByRole('textbox', { name: 'Note text' })
    const edit = async () => {
      await page.goto(`${svcd.url}/v/v/Edited.md`)
      await page.getByRole('button', { name: 'Edit' }).click()
      await editor().click()
    }
    /** Replaces the whole text, as pasting does. */
    const paste = async (text: string) => {
      await editor().press('Control+a')
      await editor().evaluate((element, pasted) => {
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/plain', pasted)
        element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
      }, text)
    }

    test('no text runs anything where it is edited: drawn, and as Markdown under the cursor', async () => {
      verifies('ui.hostile-markup')
      await edit()
      for (const [nth, text] of texts.entries()) {
        // Properties only count as such at the beginning of a note.
        const isFirst = text.startsWith('---')
        await paste(isFirst ? `${armed(text)}\n\nText ${nth}\n` : `Text ${nth}\n\n${armed(text)}`)
        if (!isFirst) await editor().press('Control+Home')
        await page.locator('.cm-line', { hasText: `Text ${nth}` }).waitFor()
        await nothingRan(`drawn: ${text}`)
        await editor().press('Control+a')
        await nothingRan(`selected: ${text}`)
      }
    })

    test('no text runs anything in the cells of a drawn table, nor in one that is edited', async () => {
      verifies('ui.hostile-markup', 'ui.tables')
      await edit()
      const rows = cells.map((text) => `| ${armed(text)} | x |`)
      await paste(`Table\n\n| Text | Other |\n| --- | --- |\n${rows.join('\n')}\n| **the end** | x |\n\nBelow\n`)
      await editor().press('Control+Home')
      const grid = page.getByRole('grid', { name: 'Table' })
      await grid.locator('strong', { hasText: 'the end' }).waitFor({ state: 'attached' })
      // Table rows inside a cell must not become rows of this table.
      expect(await grid.getByRole('gridcell').count()).toBe(2 * (cells.length + 1))
      await nothingRan('table')
      await grid.locator('td').first().click()
      for (const row of cells.slice(0, 20).keys()) {
        await page.keyboard.press('ArrowDown')
        await nothingRan(`cell ${row}`)
      }
    })

    test('templates run nothing: their names in the list, and the text of one that is put in', async () => {
      verifies('ui.hostile-markup')
      await edit()
      await paste('Empty\n\n')
      await page.keyboard.press('Control+p')
      await page.getByRole('combobox', { name: 'Run a command' }).fill('Insert a template')
      await page.keyboard.press('Enter')
      const choice = page.getByRole('combobox', { name: 'Template to insert' })
      await choice.waitFor()
      await until('all are listed', async () => (await page.getByRole('option').count()) > hostileNames.length)
      await nothingRan('list of templates')
      await choice.fill('Whole')
      await page.keyboard.press('Enter')
      await until('the template is there', async () => (await editor().innerText()).length > 500)
      await nothingRan('template')
      await editor().press('Control+Home')
      await nothingRan('template, drawn')
    })
  },
)

test('names of agents and of the notes that they make run nothing: in the news, the tree, the agents and the margin', async () => {
  verifies('ui.hostile-markup', 'ui.news')
  const context = await browser.newContext({ bypassCSP: true, viewport: { width: 1280, height: 800 } })
  const watch = await watchPages(context, svcd.url)
  const page = await context.newPage()
  await page.goto(`${svcd.url}/v/v`)
  await page.getByRole('tree').waitFor()
  for (const [nth, name] of hostileNames.entries()) {
    const agent = new Client({ name: armed(name), title: armed(name), version: '1' })
    await agent.connect(new StreamableHTTPClientTransport(new URL(`${svcd.url}/mcp`)))
    const content = armed(`# ${name}\n\n${name}\n`)
    const made = await agent.callTool({
      name: 'create_note',
      arguments: { vaultId: 'v', path: `new/${nth}.md`, content },
    })
    expect(made.isError ?? false, JSON.stringify(made)).toBe(false)
    await agent.close()
  }
  const news = page.getByRole('region', { name: 'New since you last looked' })
  await page.reload()
  await news
    .getByRole('link')
    .nth(Math.min(hostileNames.length, 5) - 1)
    .waitFor()
  await expectNothingRan(page, { where: 'news', watch })
  await page.goto(`${svcd.url}/v/v?view=agents`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await expectNothingRan(page, { where: 'agents', watch })
  for (const nth of hostileNames.keys()) {
    await page.goto(`${svcd.url}/v/v/new/${nth}.md`)
    await page.getByRole('article', { name: 'Note' }).waitFor()
    await expectNothingRan(page, { where: `note of agent ${nth}`, watch })
  }
  await context.close()
})
