import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { homeWith } from '../support/vault-home.ts'

// The pages in forced colours, which a person has chosen for all pages, for example for high contrast.

let svcd: Svcd
let browser: Browser

beforeAll(async () => {
  svcd = await startSvcd({ home: await homeWith({ 'v/One.md': '# One\n\nSome words.\n', 'v/Two.md': '# Two\n' }) })
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
})

/** A CSS property of an element, or of one of its pseudo-elements. */
const styleOf = (place: Locator, property: string, pseudo?: string) =>
  place.evaluate((element, [name, before]) => getComputedStyle(element, before).getPropertyValue(name!), [
    property,
    pseudo,
  ] as const)

async function open(path: string): Promise<Page> {
  const context = await browser.newContext({ forcedColors: 'active', viewport: { width: 1280, height: 850 } })
  const page = await context.newPage()
  await page.goto(`${svcd.url}/v/v/${path}`)
  return page
}

test('in forced colours the focus, the open note, the line and the words selected can be seen', async () => {
  verifies('ui.accessible')
  const page = await open('One.md')
  const tree = page.getByRole('tree')
  await page.getByRole('treeitem', { name: 'One' }).waitFor()
  await tree.focus()
  await page.keyboard.press('ArrowDown')
  const focused = tree.locator('.tree-line.focused')
  expect(await styleOf(focused, 'outline-style')).toBe('solid')
  expect(await styleOf(tree.locator('.tree-line[aria-selected=true]'), 'outline-style')).toBe('solid')
  expect(await styleOf(page.locator('.centre').first(), 'border-left-style', '::before')).toBe('solid')

  const pressed = page.locator('.segments button[aria-pressed=true]')
  const other = page.locator('.segments button[aria-pressed=false]')
  expect(await styleOf(pressed, 'background-color')).not.toBe(await styleOf(other, 'background-color'))

  expect(await styleOf(pressed, 'forced-color-adjust')).toBe('none')

  await page.getByRole('button', { name: 'Edit' }).click()
  const text = page.getByRole('textbox', { name: 'Note text' })
  await text.press('Control+a')
  const selected = page.locator('.cm-selectionBackground').first()
  await selected.waitFor()
  expect(await styleOf(selected, 'background-color')).not.toBe(await styleOf(page.locator('body'), 'background-color'))
  await page.context().close()
})

test('in forced colours ink and paper are those that the person has chosen', async () => {
  verifies('ui.accessible')
  const page = await open('One.md')
  const colours = await page.evaluate(() => {
    const probe = document.createElement('i')
    document.body.append(probe)
    const colour = (value: string) => {
      probe.style.color = value
      return getComputedStyle(probe).color
    }
    return {
      ink: colour('var(--ink)'),
      text: colour('CanvasText'),
      paper: colour('var(--paper)'),
      canvas: colour('Canvas'),
    }
  })
  expect(colours.ink).toBe(colours.text)
  expect(colours.paper).toBe(colours.canvas)
  await page.context().close()
})

test('in forced colours authors, the save state and pictures on buttons can be seen', async () => {
  verifies('ui.accessible')
  const page = await open('One.md')
  const paper = await styleOf(page.locator('body'), 'background-color')
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Note text' }).press('Control+End')
  await page.keyboard.type('More words.')
  const saved = page.locator('.save-state', { hasText: /^Saved \d/ })
  await saved.waitFor()
  expect(await styleOf(saved, 'color')).not.toBe(paper)
  const buttons = page.locator('.centre button:visible').filter({ has: page.locator('svg') })
  expect(await buttons.count()).toBeGreaterThan(2)
  for (const button of await buttons.all()) {
    const own = await styleOf(button, 'background-color')
    const behind = own === 'rgba(0, 0, 0, 0)' ? paper : own
    expect(await styleOf(button.locator('svg').first(), 'color')).not.toBe(behind)
  }

  await page.getByRole('button', { name: 'Read' }).click()
  const band = page.locator('.band').first()
  await band.waitFor()
  expect(await styleOf(band, 'border-left-style', '::after')).toBe('solid')

  await page.goto(`${svcd.url}/v/v/One.md?view=history`)
  const version = page.locator('.version').first()
  await version.waitFor()
  expect(await styleOf(version, 'border-left-style', '::before')).toBe('solid')
  await version.evaluate((element) => element.classList.add('agent'))
  expect(await styleOf(version, 'border-left-style', '::before')).toBe('dotted')
  await page.context().close()
})
