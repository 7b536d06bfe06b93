import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { homeWith } from '../support/vault-home.ts'
import { openPage } from '../support/vault-page.ts'

// A person leaves a note while something of it is still on its way.

let svcd: Svcd
let browser: Browser
let page: Page
const troubles: string[] = []

beforeAll(async () => {
  const home = await homeWith({
    'v/Typed.md': '# Typed\n',
    'v/Pasted.md': '# Pasted\n\nabove\n',
    'v/Other.md': '# Other\n',
    'v/Unstored.md': '# Unstored\n',
    'w/Elsewhere.md': '# Elsewhere\n',
  })
  // Keep the port over restarts, so that the address of the page stays the same.
  svcd = await startSvcd({ home, env: { SVC_PORT: String(await freePort()) } })
  browser = await openBrowser()
})

beforeEach(async () => {
  await page?.close()
  page = await openPage(browser, { troubles })
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
  expect(troubles).toEqual([])
})

const editor = () => page.getByRole('textbox', { name: 'Note text' })
const file = (note: string) => readFile(svcd.file('v', `${note}.md`), 'utf8')

/** Opens a note, waits until the page takes part in its session, and puts the cursor at its end. */
async function edit(note: string) {
  await page.goto(`${svcd.url}/v/v/${note}.md`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await editor().press('Control+End')
  await page.locator('.save-state', { hasText: /^Saved \d/ }).waitFor()
}

test('a page with words of a vault that was left, which the browser could not store, does not close unasked', async () => {
  verifies('ui.unsent-kept')
  await page.addInitScript(() => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('no space', 'QuotaExceededError')
    }
  })
  await edit('Unstored')
  await page.getByRole('button', { name: 'Vault v' }).click()
  const other = page.getByRole('group', { name: 'Vaults and settings' }).getByRole('link', { name: 'w' })
  // Load the menu while the host is there.
  await other.waitFor()
  await page.keyboard.press('Escape')
  await svcd.kill()
  await editor().press('Control+End')
  await page.keyboard.type('without a host')
  await page.locator('.save-state', { hasText: 'Not saved' }).waitFor()
  await page.getByRole('button', { name: 'Vault v' }).click()
  await other.click()
  await page.getByRole('button', { name: 'Vault w' }).waitFor()

  // A browser asks when this event is refused.
  const isRefused = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  expect(await page.evaluate(isRefused)).toBe(true)
  await svcd.restart()
  await until('the words are in the file', async () => (await file('Unstored')) === '# Unstored\nwithout a host')
})

test('who goes to another vault with unsent words finds them on the way back; without any, the session ends', async () => {
  verifies('ui.unsent-kept')
  const sessions: { isClosed(): boolean }[] = []
  page.on('websocket', (socket) => sessions.push(socket))
  await edit('Typed')
  const menu = page.getByRole('button', { name: 'Vault v' })
  const other = page.getByRole('group', { name: 'Vaults and settings' }).getByRole('link', { name: 'w' })
  const goAway = async () => {
    await menu.click()
    await other.click()
    await page.waitForURL(/\/v\/w$/)
    await page.getByRole('button', { name: 'Vault w' }).waitFor()
  }
  // Load the menu while the host is there.
  await menu.click()
  await other.waitFor()
  await page.keyboard.press('Escape')
  await svcd.kill()
  await editor().press('Control+End')
  await page.keyboard.type('without a host')
  await page.locator('.save-state', { hasText: 'Not saved' }).waitFor()

  await goAway()
  await page.goBack()
  await page.getByRole('article', { name: 'Note' }).getByText('without a host').waitFor()
  await svcd.restart()
  await until('the words are in the file', async () => (await file('Typed')) === '# Typed\nwithout a host')
  await page.locator('.save-state', { hasText: /^Saved \d/ }).waitFor()
  expect(sessions.every((socket) => socket.isClosed())).toBe(false)
  await goAway()
  await until('the session has ended', () => sessions.every((socket) => socket.isClosed()))
})

test('a file that is stored after its note was left is embedded where it was pasted', async () => {
  await edit('Pasted')
  const held = Promise.withResolvers<void>()
  await page.route('**/attachments/**', async (route) => {
    await held.promise
    await route.continue()
  })
  const asked = page.waitForRequest('**/attachments/**')
  await editor().evaluate((element) => {
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File(['file'], 'list.csv', { type: 'text/csv' }))
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })
  await asked
  await page.getByRole('treeitem', { name: 'Other', exact: true }).click()
  await page.waitForURL(/\/Other\.md$/)
  await editor().getByText('Other').waitFor()
  held.resolve()
  const embedded = /^# Pasted\n\nabove\n!\[\[.*list.*\.csv\]\]\n$/
  await until('it is embedded', async () => embedded.test(await file('Pasted')))
})
