import { readFile, writeFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { replaceFile } from '../support/replace-file.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { homeWith } from '../support/vault-home.ts'
import { openPage } from '../support/vault-page.ts'

let svcd: Svcd
let browser: Browser
const troubles: string[] = []
const lines = (word: string) => Array.from({ length: 500 }, (_, nth) => `${word} ${nth} ${word.repeat(20)}\n`).join('')

beforeAll(async () => {
  const home = await homeWith({ 'v/Clash.md': `# Clash\n\n${lines('old')}` })
  // Keep the port over restarts, so that the address of the page stays the same.
  svcd = await startSvcd({ home, env: { SVC_PORT: String(await freePort()) } })
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
  expect(troubles).toEqual([])
})

test('while a person chooses, others write on: only a place that they change asks again, and no written word is lost', async () => {
  verifies('ui.conflict-chosen')
  const file = svcd.file('v', 'Clash.md')
  const page = await openPage(browser, { troubles })
  await page.goto(`${svcd.url}/v/v/Clash.md`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Note text' }).click()
  await page.locator('.save-state', { hasText: /^Saved \d/ }).waitFor()
  await svcd.kill()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('mine')
  await page.locator('.save-state', { hasText: 'Not saved' }).waitFor()
  await writeFile(file, `# Clash\n\n${lines('new')}`)
  await svcd.restart()

  const conflict = page.getByRole('region', { name: 'Conflict' })
  const written = conflict.getByRole('textbox', { name: 'Text of place 1 of 1' })
  const save = conflict.getByRole('button', { name: 'Save', exact: true })
  await conflict.getByRole('button', { name: /^Write it myself/ }).click()
  await written.fill('by hand')
  await replaceFile(svcd, file, `# Clash, renamed\n\n${lines('new')}`)
  await conflict.getByText('# Clash, renamed').waitFor()
  expect([await written.inputValue(), await save.isEnabled()]).toEqual(['by hand', true])

  await replaceFile(svcd, file, `# Clash, renamed\n\n${lines('new')}more\n`)
  await conflict.getByRole('button', { name: 'Save, 1 place left' }).waitFor()
  expect(await written.inputValue()).toBe('by hand')
  await conflict.getByRole('button', { name: /^Write it myself/ }).click()
  await save.click()
  await until('it is in the file', async () => (await readFile(file, 'utf8')) === '# Clash, renamed\n\nby hand')
  await page.close()
})
