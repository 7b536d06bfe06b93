import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { startPlatform, type Platform } from '../support/platform.ts'
import { ADA, signUpInBrowser } from '../support/sign-up-in-browser.ts'
import { newHome, startSvcd, type Svcd } from '../support/svcd.ts'

const filler = Array.from({ length: 60 }, (_, nth) => `Line ${nth}.\n`).join('\n')

let platform: Platform
let svcd: Svcd
let browser: Browser
let context: BrowserContext
let work: Page
let home: Page
const troubles: string[] = []

beforeAll(async () => {
  platform = await startPlatform()
  browser = await openBrowser()
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  context.on('weberror', (error) => troubles.push(error.error().message))
  work = await context.newPage()

  await signUpInBrowser(work, platform)
  await work.getByText('Choose self-hosted').waitFor()
  const made = await work.request.post(`${platform.origin}/api/provisioning/orgs/self-hosted`, {
    headers: { origin: platform.origin },
    data: { name: 'Acme Notes', slug: 'acme' },
  })
  const { apiKey, relayUrl } = (await made.json()) as { apiKey: string; relayUrl: string }

  const folder = await newHome()
  for (const vault of ['work', 'private']) {
    await mkdir(join(folder, 'vaults', vault, 'Plans'), { recursive: true })
    await writeFile(join(folder, 'vaults', vault, 'Start.md'), `# Start of ${vault}\n`)
    await writeFile(
      join(folder, 'vaults', vault, 'Plans', 'Next year.md'),
      `# Year\n\n${filler}\n## Last steps\n\nEnd.\n`,
    )
  }
  svcd = await startSvcd({ home: folder, env: { SVC_RELAY_URL: relayUrl, SVC_RELAY_TOKEN: apiKey } })
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
  await platform?.remove()
  expect(troubles).toEqual([])
})

const note = (page: Page, name: string) => page.getByRole('treeitem', { name, exact: true })

test('two vaults of one organization are open in two tabs, and neither ends the other', async () => {
  verifies('security.entries-joined')
  await work.goto(platform.origin)
  await work.getByRole('link', { name: 'Open work' }).click()
  await note(work, 'Start').click()
  await work.getByRole('heading', { name: 'Start of work' }).waitFor()

  home = await context.newPage()
  await home.goto(platform.origin)
  await home.getByRole('link', { name: 'Open private' }).click()
  await note(home, 'Start').click()
  await home.getByRole('heading', { name: 'Start of private' }).waitFor()

  await note(work, 'Plans').click()
  await note(work, 'Next year').click()
  await work.getByRole('heading', { name: 'Year' }).waitFor()
  await work.reload()
  await work.getByRole('heading', { name: 'Year' }).waitFor()
  await home.reload()
  await home.getByRole('heading', { name: 'Start of private' }).waitFor()
})

test('the menu of a vault leads to every vault, and enters one that was not entered yet', async () => {
  verifies('gateway.person')
  const visitor = await browser.newContext({ storageState: await signedInOnly() })
  const page = await visitor.newPage()
  await page.goto(platform.origin)
  await page.getByRole('link', { name: 'Open work' }).click()
  await page.getByRole('button', { name: 'Vault work' }).click()
  const menu = page.getByRole('group', { name: 'Vaults and settings' })
  await menu.getByText('Signed in as Ada Lovelace').waitFor()
  expect(await menu.getByRole('button', { name: 'New vault' }).count()).toBe(0)
  await menu.getByRole('link', { name: 'private' }).click()
  await page.getByRole('button', { name: 'Vault private' }).waitFor()
  await note(page, 'Start').click()
  await page.getByRole('heading', { name: 'Start of private' }).waitFor()

  await visitor.close()
})

test('a theme chosen in a vault is that of the app and of the other vault', async () => {
  verifies('web.one-theme')
  const themeOf = (page: Page) => page.evaluate(() => document.documentElement.dataset['theme'])
  await home.getByRole('button', { name: 'Vault private' }).click()
  const kept = home.waitForResponse((response) => response.request().method() === 'PATCH')
  await home.getByRole('radio', { name: 'Dark' }).check()
  expect((await kept).status()).toBe(200)
  await home.keyboard.press('Escape')
  const app = await context.newPage()
  await app.goto(platform.origin)
  await app.locator('html[data-theme=dark]').waitFor({ state: 'attached' })
  await work.reload()
  await work.locator('html[data-theme=dark]').waitFor({ state: 'attached' })
  expect(await themeOf(work)).toBe('dark')
  await app.close()
})

test('a link to a heading, opened signed out, leads through sign-in to that heading', async () => {
  verifies('entry.deep-link')
  await work.goto(`${new URL(work.url()).origin}/v/work/Plans/Next%20year.md#Last%20steps`)
  const link = work.url()
  const outside = await browser.newContext({ viewport: { width: 1000, height: 600 } })
  const page = await outside.newPage()
  await page.goto(link)
  await page.waitForURL(`${platform.origin}/sign-in?**`)
  await page.getByLabel('E-mail').fill(ADA.email)
  await page.getByLabel('Password', { exact: true }).fill(ADA.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(link)
  const heading = page.getByRole('heading', { name: 'Last steps' })
  await heading.waitFor()
  await page.waitForFunction(() => (document.querySelector('.note-scroll')?.scrollTop ?? 0) > 300)
  await outside.close()
})

test('a link that asks for another host stays in the vault', async () => {
  verifies('entry.no-open-redirect')
  const page = await context.newPage()
  for (const path of ['//evil.example', 'https://evil.example', '/\\evil.example']) {
    const organization = await page.request.get(`${platform.origin}/api/settings`)
    const { organizations } = (await organization.json()) as { organizations: { id: string }[] }
    const enter = new URLSearchParams({ organization: organizations[0]!.id, vault: 'work', path })
    await page.goto(`${platform.origin}/enter?${enter}`)
    const again = page.getByRole('button', { name: 'Open work' })
    await again.or(page.getByRole('tree')).first().waitFor()
    // The page may show the button for a moment and then enter the vault by itself.
    if (await again.isVisible()) await again.click({ timeout: 20_000 }).catch(() => {})
    await page.waitForURL((url) => url.host === new URL(work.url()).host && url.pathname === '/v/work')
  }
  await page.close()
})

test('a vault that is opened while the device is offline says so, and is there again with the connection', async () => {
  verifies('security.service-worker')
  const device = await browser.newContext({ storageState: await signedInOnly() })
  const page = await device.newPage()
  await page.goto(platform.origin)
  await page.getByRole('link', { name: 'Open work' }).click()
  await page.getByRole('tree').waitFor()
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true))
  await device.setOffline(true)
  await page.reload()
  await page.getByRole('heading', { name: 'You are offline' }).waitFor()
  await device.setOffline(false)
  await page.reload()
  await page.getByRole('tree').waitFor()
  await device.close()
})

test('leaving ends the visit in every tab', async () => {
  verifies('security.entries-joined')
  await home.getByRole('button', { name: 'Vault private' }).click()
  await home.getByRole('button', { name: 'Leave this vault' }).click()
  await home.waitForURL(`${platform.origin}/`)
  await work.getByRole('searchbox', { name: 'Search notes' }).fill('anything')
  const ended = work.getByRole('dialog', { name: 'Your entry to this vault has ended' })
  await ended.waitFor()
  await work.keyboard.press('Escape')
  await work.keyboard.press('Escape')
  expect(await ended.isVisible(), 'the page stays covered').toBe(true)
  await ended.getByRole('button', { name: 'Open it again' }).click()
  await work.getByRole('tree').waitFor()
})

/** Only the cookies of the app, as in a browser that has not entered a vault. */
async function signedInOnly() {
  const { cookies } = await context.storageState()
  return { cookies: cookies.filter(({ domain }) => domain === 'localhost'), origins: [] }
}
