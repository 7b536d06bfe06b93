import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { newHome, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

let svcd: Svcd
let browser: Browser

const NOTE = '---\nstatus: open\nread at: noon\n---\n# Plan\n\nFirst words\n'

beforeAll(async () => {
  const home = await newHome()
  await mkdir(`${home}/vaults/v`, { recursive: true })
  await writeFile(`${home}/vaults/v/Plan.md`, NOTE)
  svcd = await startSvcd({ home })
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
})

const line = (page: Page, text: string) => page.locator('.cm-line', { hasText: text })

test('properties are one line while a note is edited, and YAML where the cursor is', async () => {
  verifies('ui.live-preview')
  const page = await browser.newPage()
  await page.goto(`${svcd.url}/v/v/Plan.md`)
  await page.getByRole('button', { name: 'Edit' }).click()
  const properties = page.locator('.cm-properties')
  await properties.waitFor()
  expect(await properties.innerText()).toMatch(/^Properties\s+status, read at$/)
  expect(await line(page, 'status: open').count()).toBe(0)

  // The cursor is in the text first, not in the properties.
  await page.keyboard.type('x')
  await line(page, 'x# Plan').waitFor()
  await page.keyboard.press('Backspace')

  await page.keyboard.press('ArrowUp')
  await line(page, 'status: open').waitFor()
  expect(await properties.count()).toBe(0)
  await page.keyboard.press('ArrowDown')
  await properties.waitFor()

  // A click puts the cursor into the first property.
  await properties.click()
  await line(page, 'status: open').waitFor()
  await page.keyboard.press('End')
  await page.keyboard.type('ed')
  await line(page, 'First words').click()
  await properties.waitFor()
  await until(
    'the property is written',
    async () => (await readFile(svcd.file('v', 'Plan.md'), 'utf8')) === NOTE.replace('open', 'opened'),
  )
  await page.close()
})
