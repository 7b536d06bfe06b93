import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { callTool, dialLoopback, memoryProvider } from '../support/agent-client.ts'
import { openBrowser } from '../support/browser.ts'
import { startPlatform, type Platform } from '../support/platform.ts'
import { DOCUMENT, publicWeb, serveDocument, trustPublicWeb } from '../support/public-web.ts'
import { ADA, signUpInBrowser } from '../support/sign-up-in-browser.ts'
import { until } from '../support/until.ts'

const pictures = process.env['SVC_TEST_PICTURES']

let platform: Platform
let browser: Browser
let page: Page
let program: Server
let client: Client
let redirect: string
let document: Awaited<ReturnType<typeof serveDocument>> | undefined
let comeBack: (code: string) => void

const shoot = async (name: string) => {
  if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true })
}

beforeAll(async () => {
  const byDocument = publicWeb === undefined ? {} : { MCP_REGISTRATION: 'off', ...trustPublicWeb(publicWeb) }
  platform = await startPlatform({ MCP_ENABLED: '1', ...byDocument })
  browser = await openBrowser()
  const context = await browser.newContext({ viewport: { width: 1280, height: 850 } })
  page = await context.newPage()
  program = createServer((request, response) => {
    comeBack(new URL(request.url ?? '/', 'http://localhost').searchParams.get('code') ?? '')
    response.end('You can close this window.')
  }).listen(0, '127.0.0.1')
  await once(program, 'listening')
  redirect = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`
  const metadata = { client_id: DOCUMENT, client_name: 'Archivist', redirect_uris: [redirect] }
  if (publicWeb !== undefined)
    document = await serveDocument(publicWeb, { ...metadata, token_endpoint_auth_method: 'none' })
})

afterAll(async () => {
  program?.close()
  document?.server.close()
  await browser?.close()
  await platform?.remove()
})

test('a person makes an account and a hosted organization', async () => {
  await signUpInBrowser(page, platform)
  await page.getByText('Choose hosted').click()
  await page.getByLabel('Name').first().fill('Hosted Friends')
  await page.getByRole('button', { name: /Create organization/ }).click()
  await page.getByRole('link', { name: /^Open/ }).first().waitFor()
  await page.context().clearCookies()
})

test('a program connects from the bare address: sign-in, consent, code', async () => {
  verifies('agents.connect', 'agents.two-consents', 'agents.consent-framing')
  const { provider, kept } = memoryProvider({ redirect_uris: [redirect] })
  Object.defineProperty(provider, 'redirectUrl', { value: redirect })
  if (document !== undefined) Object.assign(provider, { clientMetadataUrl: DOCUMENT })
  const open = () =>
    new StreamableHTTPClientTransport(new URL(`${platform.origin}/mcp`), {
      authProvider: provider,
      fetch: dialLoopback,
    })
  const first = open()
  await new Client({ name: 'archivist', version: '1' }).connect(first).catch(() => undefined)
  const code = new Promise<string>((resolve) => (comeBack = resolve))

  await page.goto(kept.url ?? '')
  await page.getByLabel('E-mail').fill(ADA.email)
  await page.getByLabel('Password', { exact: true }).fill(ADA.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Archivist asks to work in your vaults' }).waitFor()
  await page.getByText(redirect.replace('/callback', '')).waitFor()
  if (document !== undefined) {
    expect(document.reads()).toBe(1)
    await page.getByText(new URL(DOCUMENT).host).first().waitFor()
  }
  const connect = page.getByRole('button', { name: 'Connect to 0 vaults' })
  expect(await connect.isDisabled()).toBe(true)
  await page.getByRole('checkbox').first().check()
  const headers = (await page.request.get(page.url())).headers()
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
  expect(headers['cross-origin-opener-policy']).toBe('unsafe-none')
  await shoot('consent')
  await page.setViewportSize({ width: 390, height: 844 })
  await shoot('consent-phone')
  await page.setViewportSize({ width: 1280, height: 850 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await shoot('consent-dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await page.getByRole('button', { name: 'Connect to 1 vault' }).click()
  await page.getByText('You can close this window.').waitFor()

  await first.finishAuth(await code)
  client = new Client({ name: 'archivist', version: '1' })
  await client.connect(open())
})

test('without approval a tool says how to ask; the admin finds the request and approves it', async () => {
  verifies('agents.two-consents')
  const { orgs } = await callTool(client, 'list_orgs')
  const [{ org }] = orgs
  expect(await callTool(client, 'list_vaults', { org })).toMatchObject({
    isError: true,
    code: 'integration_not_approved',
  })

  await page.goto(`${platform.origin}/organizations/${org}/agents`)
  await page.getByText('Waits for you').waitFor()
  await shoot('agents-request')
  await page.getByRole('button', { name: 'Approve Archivist' }).click()
  const proof = document === undefined ? 'proves nothing about itself' : new URL(DOCUMENT).host
  await page.getByRole('dialog').getByText(proof).first().waitFor()
  await shoot('agents-approve')
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Approved', { exact: true }).waitFor()
})

test('the program reads and writes a note of the hosted vault', async () => {
  verifies('mcp.control-plane', 'agents.two-consents')
  const [{ org }] = (await callTool(client, 'list_orgs')).orgs
  const { vaults } = await callTool(client, 'list_vaults', { org })
  const [{ id: vaultId }] = vaults
  const created = await callTool(client, 'create_note', {
    org,
    vaultId,
    path: 'From an agent.md',
    content: 'One line.\n',
  })
  expect(created.isError).toBe(false)
  const note = await callTool(client, 'read_note', { org, vaultId, path: 'From an agent.md' })
  expect(note).toMatchObject({ isError: false, content: 'One line.\n' })
  const edited = await callTool(client, 'edit_note', {
    org,
    vaultId,
    path: 'From an agent.md',
    baseline: note.baseline,
    edits: [{ oldText: 'One line.', newText: 'Another line.' }],
  })
  expect(edited.isError).toBe(false)
  expect(await callTool(client, 'delete_note', { org, vaultId, path: 'From an agent.md', permanent: true })).toMatchObject({ isError: true }) // prettier-ignore
  expect(await callTool(client, 'read_note', { org, vaultId: 'another', path: 'x.md' })).toMatchObject({
    code: 'not_found',
  })

  await page.reload()
  await page.getByText('2 changes, 0 undone').waitFor()
  await shoot('agents')
  await page.setViewportSize({ width: 390, height: 844 })
  await shoot('agents-phone')
  await page.setViewportSize({ width: 1280, height: 850 })
})

test('it edits a note while a person types in it: both texts are there, and stay', async () => {
  verifies('mcp.control-plane', 'live.edits-enter')
  const [{ org }] = (await callTool(client, 'list_orgs')).orgs
  const [{ id: vaultId }] = (await callTool(client, 'list_vaults', { org })).vaults
  const note = { org, vaultId, path: 'Typed by two.md' }
  await callTool(client, 'create_note', { ...note, content: 'Agent: 0 done.\n\nPerson:' })

  const vault = await page.context().newPage()
  await vault.goto(`${platform.origin}/`)
  await vault.getByRole('link', { name: /^Open/ }).first().click()
  await vault.getByRole('treeitem', { name: 'Typed by two', exact: true }).click()
  await vault.getByRole('button', { name: 'Edit' }).click()
  const editor = vault.locator('.cm-content')
  await editor.click()
  await vault.keyboard.press('ControlOrMeta+End')

  const words = Array.from({ length: 12 }, (_, index) => `word${index}`)
  const typing = (async () => {
    for (const word of words) await vault.keyboard.type(` ${word}`, { delay: 20 })
  })()
  for (let round = 0; round < 5; round++) {
    const { baseline } = await callTool(client, 'read_note', note)
    const edits = [{ oldText: `Agent: ${round} done.`, newText: `Agent: ${round + 1} done.` }]
    const edited = await callTool(client, 'edit_note', { ...note, baseline, edits, onStale: 'rebase' })
    expect(edited).toMatchObject({ isError: false })
  }
  await typing
  await editor.getByText('Agent: 5 done.').waitFor()
  if (pictures !== undefined) await vault.screenshot({ path: `${pictures}/agent-while-typing.png` })
  const whole = `Agent: 5 done.\n\nPerson: ${words.join(' ')}`
  await until(
    'the note holds what both wrote',
    async () => whole === (await callTool(client, 'read_note', note)).content,
  )
  await vault.close()
})

test('an admin pauses it, and the person disconnects it', async () => {
  verifies('agents.revocation')
  const [{ org }] = (await callTool(client, 'list_orgs')).orgs
  await page.getByRole('button', { name: 'Pause Archivist' }).click()
  await page.getByText('Paused', { exact: true }).waitFor()
  expect(await callTool(client, 'list_vaults', { org })).toMatchObject({ isError: true, standing: 'paused' })

  await page.goto(`${platform.origin}/profile`)
  await page.getByRole('button', { name: 'Disconnect Archivist' }).waitFor()
  await shoot('connected-programs')
  await page.getByRole('button', { name: 'Disconnect Archivist' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('No program is connected').waitFor()
  await expect(client.listTools()).rejects.toThrow()
})
