import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { homeWith } from '../support/vault-home.ts'

// The pages in the colours that a person has chosen for everything, as for high contrast.

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

/** A property of an element, or of what stands before it. */
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
