import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { startRelayedDaemon } from '../support/relayed-daemon.ts'
import { until } from '../support/until.ts'
import { openPage } from '../support/vault-page.ts'

const VAULT = '/api/vaults/demo-vault'
// One page of the history has 200 versions.
const VERSIONS = 203
let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
let browser: Browser
let page: Page
const troubles: string[] = []

beforeAll(async () => {
  daemon = await startRelayedDaemon()
  // Changes in a row by one author become one version.
  const authors = [daemon.person('member'), daemon.person('member')]
  const lines: string[] = []
  for (let nth = 1; nth <= VERSIONS; nth++) {
    lines.push(`Line ${nth}\n`)
    const headers: Record<string, string> = nth === 1 ? { 'if-none-match': '*' } : { 'if-match': '*' }
    const put = { method: 'PUT', json: { content: lines.join('') }, headers } as const
    const { status, text } = await authors[nth % 2]!.call(`${VAULT}/notes/Old.md`, put)
    expect([200, 201], text).toContain(status)
  }
  await until('all versions are in the history', async () => {
    const { body } = await daemon.local(`${VAULT}/history/Old.md?limit=200&cursor=${VERSIONS - 1}`)
    return HistoryAnswer.safeParse(body).data?.revisions?.length === 1
  })
  browser = await openBrowser()
  page = await openPage(browser, { troubles })
  await page.goto(`${daemon.urls.local}/v/demo-vault/Old.md?view=history`)
})

afterAll(async () => {
  await browser?.close()
  await daemon?.close()
  expect(troubles).toEqual([])
})

const panel = () => page.getByRole('complementary', { name: 'Versions' })
const versions = () => panel().getByRole('listitem')
const older = () => panel().getByRole('button', { name: 'Show older versions' })
const isShown = (line: number) =>
  until(`the change that added line ${line} is shown, and only that`, async () => {
    const change = page.getByRole('article', { name: 'What this version changed' })
    const texts = await change.getByRole('insertion').allInnerTexts()
    return texts.map((text) => text.trim()).join() === `Line ${line}`
  })

test('the oldest version of a list that goes on shows its own change, not the whole note', async () => {
  verifies('ui.all-versions')
  await older().waitFor()
  const count = await versions().count()
  expect(count).toBeLessThan(VERSIONS)
  await versions().last().getByRole('button').click()
  await isShown(VERSIONS - count + 1)
})

test('older versions are shown on request, down to the first one', async () => {
  verifies('ui.all-versions')
  const count = await versions().count()
  await older().press('Enter')
  await until('all versions are listed', async () => (await versions().count()) === VERSIONS)
  expect(await older().count()).toBe(0)
  const isFocused = (button: Element) => button === document.activeElement
  await until('the first of them has the focus', () => versions().nth(count).getByRole('button').evaluate(isFocused))
  await versions().last().getByRole('button').click()
  await isShown(1)
})

test('the keys for older and newer versions go on past the end of the list', async () => {
  verifies('ui.all-versions')
  await page.reload()
  await older().waitFor()
  const count = await versions().count()
  await versions().last().getByRole('button').click()
  await isShown(VERSIONS - count + 1)
  await page.keyboard.press('j')
  await until('all versions are listed', async () => (await versions().count()) === VERSIONS)
  await page.keyboard.press('j')
  await isShown(VERSIONS - count)
})
