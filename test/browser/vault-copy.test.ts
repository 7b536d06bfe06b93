import { rm } from 'node:fs/promises'
import { beforeEach, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { holdMessages } from '../support/hold-messages.ts'
import type { Svcd } from '../support/svcd.ts'
import { vaultInBrowser } from '../support/vault-in-browser.ts'

const vault = vaultInBrowser({
  'v/Note.md': '# Note\n\n```js\nconst copied = 1\n```\n',
  'v/Gone.md': '# Gone\n',
})

let svcd: Svcd
let page: Page

beforeEach(async () => {
  ;({ svcd, page } = vault.now())
  await holdMessages(page)
})

const status = (text: string) => page.getByRole('status').filter({ hasText: text })

async function open(note: string) {
  await page.goto(`${svcd.url}/v/v/${note}.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
}

/** The button of the code, which keeps as `data-said` what it says for a moment. */
async function copyButton() {
  const button = page.getByRole('article', { name: 'Note' }).locator('.code .copy')
  await button.evaluate((element: HTMLElement) => {
    const said = new MutationObserver(() => (element.dataset['said'] ??= element.textContent))
    said.observe(element, { childList: true })
  })
  return button
}

async function copyPath() {
  await page.keyboard.press('Control+p')
  await page.getByRole('combobox', { name: 'Run a command' }).fill('copy the path')
  await page.keyboard.press('Enter')
}

/** What the clipboard has. */
async function pasted() {
  const search = page.getByRole('searchbox', { name: 'Search notes' })
  await search.press('Control+v')
  const text = await search.inputValue()
  // The results of a search replace the tree.
  await search.fill('')
  return text
}

test('on a page that has no clipboard, as over plain http, copying works all the same', async () => {
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined }))
  await open('Note')
  const code = await copyButton()
  await code.focus()
  await code.press('Enter')
  await page.locator('[data-said=Copied]').waitFor()
  expect(await code.evaluate((button) => button === document.activeElement)).toBe(true)
  expect(await pasted()).toBe('const copied = 1')

  await copyPath()
  await status('Copied').waitFor()
  expect(await pasted()).toBe('Note.md')

  await page.getByRole('treeitem', { name: 'Note', exact: true }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Copy link' }).click()
  await expect.poll(pasted).toBe(`${svcd.url}/v/v/Note.md`)
})

test('my text of a note that was deleted is copied without a clipboard', async () => {
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined }))
  await open('Gone')
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Note text' }).click()
  await page.locator('.save-state', { hasText: /^Saved/ }).waitFor()
  await rm(svcd.file('v', 'Gone.md'))
  await page.getByRole('button', { name: 'Copy my text' }).click()
  await status('Copied').waitFor()
  expect(await pasted()).toContain('# Gone')
})

test('what the browser does not let the page copy is reported', async () => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('not allowed', 'NotAllowedError'))
    document.execCommand = () => false
  })
  await open('Note')
  await copyPath()
  await status('Could not be copied').waitFor()
  await (await copyButton()).click()
  await page.locator('[data-said="Could not be copied"]').waitFor()
})
