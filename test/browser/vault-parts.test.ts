import { mkdir, writeFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { newHome, startSvcd, type Svcd } from '../support/svcd.ts'

let svcd: Svcd
let browser: Browser
let page: Page
const PART = '**/assets/tags-page-*.js'

beforeAll(async () => {
  const home = await newHome()
  await mkdir(`${home}/vaults/v`, { recursive: true })
  await writeFile(`${home}/vaults/v/Note.md`, '# Note\n\n#tag\n')
  svcd = await startSvcd({ home })
  browser = await openBrowser()
})

beforeEach(async () => {
  await page?.close()
  page = await browser.newPage()
  page.setDefaultTimeout(30_000)
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
})

const tags = () => page.getByRole('heading', { name: 'Tags', exact: true })

test('where a part is gone, the page loads anew at the address that was wanted', async () => {
  verifies('ui.missing-parts')
  await page.goto(`${svcd.url}/v/v/Note.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
  let isAnew = false
  page.on('request', (request) => (isAnew ||= request.isNavigationRequest()))
  await page.route(PART, (route) => (isAnew ? route.continue() : route.abort()))
  await page.getByRole('button', { name: 'Tags', exact: true }).click()
  await tags().waitFor()
  expect([isAnew, page.url()]).toEqual([true, `${svcd.url}/v/v?view=tags`])
})

test('a part that stays away is told, with a way to try again', async () => {
  verifies('ui.missing-parts')
  await page.route(PART, (route) => route.fulfill({ status: 404, body: '' }))
  await page.goto(`${svcd.url}/v/v?view=tags`)
  const again = page.getByRole('button', { name: 'Load it again' })
  await again.waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  await page.unroute(PART)
  await again.click()
  await tags().waitFor()
})
