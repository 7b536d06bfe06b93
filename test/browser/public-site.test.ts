import { readFile } from 'node:fs/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { mailedToken } from '../support/mailbox.ts'
import { ADA } from '../support/sign-up-in-browser.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { homeWith } from '../support/vault-home.ts'
import { startPublicSite, type Site } from './hostile-page/sites.ts'
import { callApi } from './hostile-page/visit.ts'

// Entries as in production: with https, the app under one domain, and the vaults of each organization under a subdomain
// of another domain. Cookies follow other rules there than below localhost.

let site: Site
let browser: Browser
let context: BrowserContext
let app: Page
const daemons: Svcd[] = []
const troubles: string[] = []

beforeAll(async () => {
  site = await startPublicSite()
  browser = await openBrowser()
  context = await visitor()
  app = await context.newPage()
  await app.goto(site.controlPlane)
  await callApi(app, '/api/auth/sign-up/email', { method: 'POST', body: ADA })
  const token = mailedToken(await site.mailbox(ADA.email))
  await callApi(app, '/api/auth/sign-up/confirm', { method: 'POST', body: { token } })
  await startOrganization('Acme Notes', ['work', 'private'])
  await startOrganization('Beta Club', ['club'])
})

afterAll(async () => {
  await browser?.close()
  for (const daemon of daemons) await daemon.remove()
  await site?.close()
  expect(troubles).toEqual([])
})

/** A new browser that reaches the names of the site through its proxy. */
async function visitor(): Promise<BrowserContext> {
  const options = { proxy: { server: site.proxy.url }, ignoreHTTPSErrors: true }
  const made = await browser.newContext({ ...options, viewport: { width: 1280, height: 800 } })
  made.on('weberror', (error) => troubles.push(error.error().message))
  return made
}

/** An organization with a daemon of its own that holds these vaults. */
async function startOrganization(name: string, vaults: string[]) {
  const made = await callApi<{ organization: { id: string }; apiKey: string }>(
    app,
    '/api/provisioning/orgs/self-hosted',
    { method: 'POST', body: { name } },
  )
  const lines = Array.from({ length: 60 }, (_, nth) => `Line ${nth}.\n`).join('\n')
  const notes = vaults.map((vault) => [`${vault}/Start.md`, `# Start of ${vault}\n\n${lines}\n## Last steps\n\nEnd.\n`])
  const env = {
    SVC_RELAY_URL: `http://127.0.0.1:${site.dialInPort}/t/${made.organization.id}`,
    SVC_RELAY_TOKEN: made.apiKey,
  }
  daemons.push(await startSvcd({ home: await homeWith(Object.fromEntries(notes)), env }))
}

/** Opens a vault in a tab of its own, through the app. */
async function openVault(vault: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(site.controlPlane)
  await page.getByRole('link', { name: `Open ${vault}` }).click()
  await page.getByRole('treeitem', { name: 'Start', exact: true }).click()
  await shows(page, vault)
  return page
}
const shows = (page: Page, vault: string) => page.getByRole('heading', { name: `Start of ${vault}` }).waitFor()

test('vaults of one organization and of another are open in three tabs; none ends another, and each is edited', async () => {
  verifies('security.entries-joined')
  const tabs: [string, Page][] = []
  for (const vault of ['work', 'private', 'club']) tabs.push([vault, await openVault(vault)])
  const hosts = tabs.map(([, page]) => new URL(page.url()).host)
  expect(hosts[0]).toBe(hosts[1])
  expect(hosts[2]).not.toBe(hosts[0])
  expect(new Set(hosts.map((host) => host.split('.').slice(1).join('.'))).size).toBe(1)

  for (const [vault, page] of tabs) {
    await page.reload()
    await shows(page, vault)
  }
  for (const [vault, page] of tabs) {
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Note text' }).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(`Typed in ${vault}.`)
  }
  for (const [vault, page] of tabs) {
    await page.locator('.save-state', { hasText: /^Saved \d/ }).waitFor()
    const { file } = daemons[vault === 'club' ? 1 : 0]!
    expect(await readFile(file(vault, 'Start.md'), 'utf8')).toMatch(new RegExp(`End\\.\\nTyped in ${vault}\\.$`))
    await page.close()
  }
})

test('a link to a heading, opened signed out, leads through sign-in to that heading and nowhere else', async () => {
  verifies('entry.deep-link', 'entry.no-open-redirect')
  const work = await openVault('work')
  const link = `${new URL(work.url()).origin}/v/work/Start.md#Last%20steps`
  const outside = await visitor()
  const page = await outside.newPage()
  const hosts = new Set<string>()
  page.on('framenavigated', (frame) => void hosts.add(new URL(frame.url()).host))
  await page.goto(link)
  await page.waitForURL(`${site.controlPlane}/sign-in?**`)
  await page.getByLabel('E-mail').fill(ADA.email)
  await page.getByLabel('Password', { exact: true }).fill(ADA.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(link)
  await page.getByRole('heading', { name: 'Last steps' }).waitFor()
  await page.waitForFunction(() => (document.querySelector('.note-scroll')?.scrollTop ?? 0) > 300)
  expect([...hosts].toSorted()).toEqual([new URL(site.controlPlane).host, new URL(link).host].toSorted())
  await outside.close()
  await work.close()
})
