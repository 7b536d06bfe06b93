import { randomUUID } from 'node:crypto'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { mailedToken } from '../../support/mailbox.ts'
import type { Target } from './attacks.browser.ts'
import type { Site } from './sites.ts'
import { startVaultDaemon, type VaultDaemon } from './vault-daemon.ts'

export const SECRETS = { bait: 'word-of-the-bait', neighbour: 'word-of-the-neighbour', name: 'Ada Lovelace' }

/** A visitor who is signed in and has entered two organizations. */
export type Visit = {
  context: BrowserContext
  /** A page of the control plane. */
  app: Page
  /** A page that the hostile daemon serves. */
  bait: Page
  /** A page of the other organization. */
  neighbour: Page
  baitDaemon: VaultDaemon
  neighbourDaemon: VaultDaemon
  /** The targets, including the hostile origin itself. */
  targets: Record<'own' | 'neighbour' | 'controlPlane', Target>
  close(): Promise<void>
}

/** Signs up a visitor who enters two vaults. `bypassCSP` makes Chromium ignore the policies of all pages. */
export async function startVisit(browser: Browser, site: Site, { bypassCSP }: { bypassCSP: boolean }): Promise<Visit> {
  const context = await browser.newContext({ proxy: { server: site.proxy.url }, ignoreHTTPSErrors: true, bypassCSP })
  const app = await context.newPage()
  await app.goto(site.controlPlane)
  const account = { name: SECRETS.name, email: `${randomUUID()}@example.org`, password: 'correct horse battery staple' }
  await callApi(app, '/api/auth/sign-up/email', { method: 'POST', body: account })
  const token = mailedToken(await site.mailbox(account.email))
  await callApi(app, '/api/auth/sign-up/confirm', { method: 'POST', body: { token } })
  const organizations = [await makeOrganization(app, 'Bait'), await makeOrganization(app, 'Neighbour')] as const
  const [{ slug: baitSlug, orgId }, { slug: neighbourSlug }] = organizations
  const start = (organization: OrganizationMade, vault: string, secret: string) =>
    startVaultDaemon(site.dialInPort, { ...organization, vault, secret })
  const baitDaemon = await start(organizations[0], 'bait', SECRETS.bait)
  const neighbourDaemon = await start(organizations[1], 'quiet', SECRETS.neighbour)
  const neighbour = await enterVault(context, site.controlPlane, neighbourSlug, 'quiet')
  const bait = await enterVault(context, site.controlPlane, baitSlug, 'bait')

  return {
    context,
    app,
    bait,
    neighbour,
    baitDaemon,
    neighbourDaemon,
    targets: {
      own: vaultTarget(new URL(bait.url()).origin, 'bait'),
      neighbour: vaultTarget(new URL(neighbour.url()).origin, 'quiet'),
      controlPlane: controlPlaneTarget(site.controlPlane, orgId),
    },
    close: async () => {
      await context.close()
      await baitDaemon.close()
      await neighbourDaemon.close()
    },
  }
}

type Call = { method?: string; body?: unknown }

/** A call of the API as the web app makes it: by a page of the control plane, with the visitor's cookies. */
export async function callApi<T>(page: Page, path: string, { method = 'GET', body }: Call = {}): Promise<T> {
  const { status, text } = await page.evaluate(
    async ({ path, method, body }) => {
      const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      const answer = await fetch(path, body === undefined ? { method } : { method, ...json })
      return { status: answer.status, text: await answer.text() }
    },
    { path, method, body },
  )
  if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`)
  return JSON.parse(text) as T
}

type OrganizationMade = { orgId: string; slug: string; apiKey: string }

async function makeOrganization(page: Page, name: string): Promise<OrganizationMade> {
  const { organization, apiKey } = await callApi<{ organization: { id: string; slug: string }; apiKey: string }>(
    page,
    '/api/provisioning/orgs/self-hosted',
    { method: 'POST', body: { name: `${name} ${randomUUID().slice(0, 8)}` } },
  )
  return { orgId: organization.id, slug: organization.slug, apiKey }
}

/** Opens a vault as people do, through the web app, and returns the page that its daemon serves. */
async function enterVault(context: BrowserContext, controlPlane: string, slug: string, vault: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(controlPlane)
  await page.locator(`a[href="/open/${slug}/${vault}/"]`).click()
  await page.waitForURL(`**/v/${vault}`)
  return page
}

function vaultTarget(origin: string, vault: string): Target {
  const api = `${origin}/api/vaults/${vault}`
  return {
    text: `${api}/notes/Secret.md`,
    script: `${origin}/assets/secret.js`,
    style: `${origin}/assets/secret.css`,
    picture: `${origin}/picture.svg`,
    events: `${api}/events`,
    socket: `${api.replace('http', 'ws')}/live/Secret.md`,
    change: `${api}/move`,
    replace: `${api}/notes/Secret.md`,
    body: '{"from":"Secret.md"}',
  }
}

function controlPlaneTarget(origin: string, orgId: string): Target {
  const settings = `${origin}/api/settings`
  return {
    text: settings,
    script: settings,
    style: settings,
    picture: `${origin}/mark.svg`,
    events: settings,
    socket: `${origin.replace('http', 'ws')}/t/${orgId}`,
    change: `${origin}/api/provisioning/orgs/self-hosted`,
    replace: `${settings}/profile`,
    body: '{"name":"Planted"}',
  }
}
