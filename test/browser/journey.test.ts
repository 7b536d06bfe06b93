import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { startPlatform, type Platform } from '../support/platform.ts'
import { programEnvironment } from '../support/program-environment.ts'
import { signUpInBrowser } from '../support/sign-up-in-browser.ts'
import { fingerprints, writeTrickyVault } from '../support/vault.ts'
import { removeFolder } from '../support/remove-folder.ts'

const program = fileURLToPath(new URL('../../daemon/bin/svcd.js', import.meta.url))

let platform: Platform
let browser: Browser
let context: BrowserContext
let page: Page
let home: string
let daemon: ChildProcess | undefined
const troubles: string[] = []

beforeAll(async () => {
  platform = await startPlatform()
  browser = await openBrowser()
  context = await browser.newContext({ viewport: { width: 1280, height: 850 } })
  page = await context.newPage()
  page.on('pageerror', (error) => troubles.push(error.message))
  home = await mkdtemp(join(tmpdir(), 'svc-journey-'))
  await mkdir(join(home, 'vaults'))
  await writeTrickyVault(join(home, 'vaults', 'field-notes'))
})

afterAll(async () => {
  await browser?.close()
  if (daemon?.exitCode === null) {
    const over = once(daemon, 'exit')
    daemon.kill('SIGTERM')
    await over
  }
  await platform?.remove()
  await removeFolder(home)
})

test('a person signs up and creates a self-hosted organization; its key and command are shown once', async () => {
  verifies('journey.browser', 'daemon-key.plaintext-once', 'cp.provision-self-hosted', 'web.key-kept')
  await signUpInBrowser(page, platform)
  await page.getByText('Choose self-hosted').click()
  await page.getByLabel('Name').first().fill('Acme Notes')
  await page.getByRole('button', { name: 'Create organization' }).click()

  const shown = page.locator('main')
  await shown.getByText('Waiting for the host to connect').waitFor()
  await shown.getByText('SVC_RELAY_URL').first().waitFor()
  const text = await shown.innerText()
  const url = /SVC_RELAY_URL=(\S+)/.exec(text)?.[1] ?? ''
  const token = /svc_dmn_\w+/.exec(text)?.[0] ?? ''
  expect(url).toMatch(/^http:\/\/localhost:\d+\/t\/org_[a-z2-7]{24}$/)
  expect(token).toMatch(/^svc_dmn_[0-9A-Za-z]{43}$/)

  await page.getByRole('link', { name: 'svc, home' }).click()
  const question = page.getByRole('dialog', { name: 'Leave without the key?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await page.goBack()
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(await shown.innerText()).toContain(token)

  daemon = spawn(process.execPath, [program], {
    env: programEnvironment({
      SVC_HOME: home,
      SVC_PORT: String(await freePort()),
      SVC_RELAY_URL: url,
      SVC_RELAY_TOKEN: token,
      SVC_LOG_LEVEL: 'warn',
    }),
    stdio: 'inherit',
  })
  await shown.getByText('field-notes').first().waitFor()

  await page.reload()
  expect(await page.content()).not.toContain(token)
})

test('before entry a vault returns a typed failure to programs and our page to people', async () => {
  verifies('relay.no-bypass')
  const host = await vaultHost()
  const answer = await requestAt(host, '/api/vaults/field-notes/notes/Home.md')
  expect(answer.status).toBe(401)
  expect(JSON.parse(answer.body)).toMatchObject({ ok: false, error: { code: 'unauthenticated' } })

  const outside = await browser.newContext()
  const stranger = await outside.newPage()
  await stranger.goto(`http://${host}/v/field-notes/Home.md`)
  expect(await stranger.content()).not.toContain('Welcome. See')
  await outside.close()
})

test('the person enters the vault, browses, reads, searches, edits and saves; nothing else changes', async () => {
  verifies('journey.browser', 'cp.entry', 'notes.bytes-untouched')
  const folder = join(home, 'vaults', 'field-notes')
  const before = await fingerprints(folder)

  await page.goto(platform.origin)
  await page.getByRole('link', { name: /^Open/ }).first().click()
  const tree = page.getByRole('tree')
  await tree.getByRole('treeitem', { name: 'Plans' }).click()
  await tree.getByRole('treeitem', { name: 'Roadmap' }).waitFor()
  await tree.getByRole('treeitem', { name: 'Home', exact: true }).click()
  await page.getByRole('heading', { name: 'Home', level: 1 }).first().waitFor()
  await page.getByRole('link', { name: 'Start here' }).click()
  await page.getByText('Search finds the word heliotrope here').waitFor()

  await page.getByRole('searchbox', { name: 'Search notes' }).fill('heliotrope')
  await page.getByRole('searchbox', { name: 'Search notes' }).press('Enter')
  await page.locator('mark', { hasText: 'heliotrope' }).first().waitFor()

  await page.keyboard.press('Escape')
  await page.getByRole('treeitem', { name: 'Windows', exact: true }).click()
  await page.getByRole('heading', { name: 'Windows', level: 1 }).first().waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  const editor = page.locator('.cm-content')
  await editor.click()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.type('Written through the relay.')
  await page.keyboard.press('ControlOrMeta+s')
  await page.locator('.save-state', { hasText: /^Saved \d/ }).waitFor()

  const after = await fingerprints(folder)
  const changed = Object.keys({ ...before, ...after }).filter((path) => before[path] !== after[path])
  expect(changed).toEqual(['Windows.md'])
  expect(await readFile(join(folder, 'Windows.md'), 'utf8')).toBe(
    '# Windows\r\n\r\nLine ends of another system.\r\nWritten through the relay.',
  )
})

test('the home tells how many notes a vault has, who changed it last, and what is new', async () => {
  verifies('vaults.list-activity')
  await page.goto(platform.origin)
  const row = page.locator('main')
  const notes = async () => Number(/([\d,]+) notes?\./.exec(await row.innerText())?.[1]?.replace(',', ''))
  await row.getByText('You', { exact: true }).waitFor()
  const before = await notes()
  expect(before).toBeGreaterThan(3)

  await writeFile(join(home, 'vaults', 'field-notes', 'Fresh.md'), '# Fresh\n')
  await row.getByText('Since you last read: 1 changed by another editor').waitFor()
  await row.getByText('Another editor', { exact: true }).waitFor()
  expect(await notes()).toBe(before + 1)
})

test('a hosted organization gets a daemon of its own and is entered in the same way', async () => {
  verifies('cp.provision-hosted', 'cp.hosted-status')
  await page.goto(`${platform.origin}/`)
  await page
    .getByRole('link', { name: 'New organization' })
    .or(page.getByRole('button', { name: 'New organization' }))
    .click()
  await page.getByText('Choose hosted').click()
  await page.getByLabel('Name').first().fill('Hosted Friends')
  await page.getByRole('button', { name: 'Create organization' }).click()
  await page.getByRole('heading', { name: 'Hosted Friends is ready' }).waitFor()
  const way = page.getByRole('link', { name: /^Open/ }).first()
  await way.waitFor()
  await way.click()
  await page.getByRole('tree').getByRole('treeitem', { name: 'README' }).first().click()
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  expect(troubles).toEqual([])
})

/** A request to a name under localhost, which browsers resolve by themselves and Node does not. */
async function requestAt(host: string, path: string): Promise<{ status: number; body: string }> {
  const sent = request({
    host: '127.0.0.1',
    port: platform.port,
    path,
    headers: { host, accept: 'application/json' },
  }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  let body = ''
  for await (const chunk of answer) body += String(chunk)
  return { status: answer.statusCode ?? 0, body }
}

/** Host of the vault origin, from the response to the entry. */
async function vaultHost(): Promise<string> {
  const settings = await page.request.get(`${platform.origin}/api/settings`)
  const { organizations } = (await settings.json()) as { organizations: { slug: string }[] }
  const entry = await page.request.post(
    `${platform.origin}/api/orgs/${organizations[0]?.slug}/vaults/field-notes/entry`,
    {
      headers: { origin: platform.origin, 'content-type': 'application/json' },
      data: {},
    },
  )
  const body = (await entry.json()) as { entry: { url: string } }
  return new URL(body.entry.url).host
}
