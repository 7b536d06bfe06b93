import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { startHostedPeople, windowOf, type HostedPeople } from '../support/hosted-people.ts'
import { PATIENCE_MS, until } from '../support/until.ts'

// A hosted daemon that sleeps soon, and two people who leave their tabs open.

const IDLE_SECONDS = 15
/** Longer than the delay after which a tab reconnects. */
const ASLEEP_MS = 12_000

let hosted: HostedPeople
let browser: Browser
const windows: BrowserContext[] = []
const troubles: string[] = []

beforeAll(async () => {
  hosted = await startHostedPeople({ DAEMON_IDLE_SECONDS: String(IDLE_SECONDS) })
  const { platform, ada, ben } = hosted
  browser = await openBrowser()
  for (const person of [ada, ben]) {
    const window = await windowOf(browser, { person, platform })
    window.on('weberror', (error) => troubles.push(error.error().message))
    windows.push(window)
  }
})

afterAll(async () => {
  await browser?.close()
  await hosted?.platform.remove()
  expect(troubles).toEqual([])
})

const editor = (page: Page) => page.getByRole('textbox', { name: 'Note text' })
const saved = (page: Page) => page.locator('.save-state', { hasText: /^Saved \d/ }).waitFor()
const file = () => readFile(join(hosted.notes, 'Night.md'), 'utf8')
const isAsleep = async () => (await hosted.daemon())?.observedState === 'sleeping'

async function openNote(window: BrowserContext): Promise<Page> {
  const page = await window.newPage()
  await page.goto(hosted.platform.origin)
  const link = page.getByRole('link', { name: /^Open/ }).first()
  const wake = page.getByRole('button', { name: 'Wake and show vaults' })
  // The daemon may fall asleep or wake at any moment, even before the click; known vaults stay.
  await until('the vault can be opened', async () => {
    if (await link.isVisible()) return true
    if (await wake.isVisible()) await wake.click({ timeout: 5_000 }).catch(() => {})
    return false
  })
  await link.click()
  await page.getByRole('treeitem', { name: 'Night', exact: true }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await editor(page).waitFor()
  await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }))
  return page
}

test('open editors let the daemon sleep; the next words wake it, and nothing of either person is lost', async () => {
  verifies('sleep.tabs', 'wake.held', 'ui.live-editing', 'ui.unsent-kept')
  await writeFile(join(hosted.notes, 'Night.md'), '# Night\n\nAda:\n\nBen:')
  const [ada, ben] = [await openNote(windows[0]!), await openNote(windows[1]!)]
  await editor(ada).getByText('Ada:').click()
  await ada.keyboard.press('End')
  await ada.keyboard.type(' good night')
  await saved(ada)
  await until('Ben sees her words', async () => (await editor(ben).innerText()).includes('Ada: good night'))
  await editor(ben).click()
  await ben.keyboard.press('Control+End')

  await until('the daemon sleeps beside two open editors', isAsleep, { withinMs: 2 * PATIENCE_MS }).catch(
    async (err) => {
      throw new Error(`awake: ${JSON.stringify(await hosted.daemon())}`, { cause: err })
    },
  )
  await new Promise((resolve) => setTimeout(resolve, ASLEEP_MS))
  expect(await isAsleep()).toBe(true)
  for (const page of [ada, ben]) await page.locator('.save-state', { hasText: 'Asleep' }).waitFor()

  await ada.keyboard.type(', good morning')
  await saved(ada)
  // Only a daemon that is awake writes the file.
  expect(await file()).toContain('Ada: good night, good morning\n')
  await until('Ben sees what she wrote after the night', async () =>
    (await editor(ben).innerText()).includes('good night, good morning'),
  )
  await ben.keyboard.type(' and good day')
  await saved(ben)
  await until('Ada sees what he wrote', async () => (await editor(ada).innerText()).includes('Ben: and good day'))
  const whole = '# Night\n\nAda: good night, good morning\n\nBen: and good day'
  await until('the file holds every word once', async () => (await file()) === whole)
  for (const page of [ada, ben]) expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true)
})
