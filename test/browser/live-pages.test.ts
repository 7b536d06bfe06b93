import type { Browser, Request } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import { PASSWORD, type Person } from '../support/person.ts'
import { addFleet } from '../support/some-fleet.ts'
import { until } from '../support/until.ts'

const operatorOrg = newId('org_')
let cp: TestControlPlane
let browser: Browser
let admin: Person
let acme: { id: string; slug: string }
let fleet: { orgId: string; slug: string }[]
let rolloutId: string
let count = 0

beforeAll(async () => {
  cp = await startControlPlane({ working: true, environment: { OPERATOR_ORG: operatorOrg, MCP_ENABLED: '1' } })
  browser = await openBrowser()
  admin = cp.person()
  await admin.signUp({ email: 'admin@example.org' })
  await makeFirstAdmin(cp, operatorOrg, admin)
  acme = (await admin.post('/api/provisioning/orgs/self-hosted', { name: 'Acme', slug: 'acme' })).body.organization
  fleet = await addFleet(cp, 3)
  const member = { organizationId: fleet[2]!.orgId, userId: admin.id, role: 'admin' as const }
  await cp.db
    .insertInto('member')
    .values({ ...member, id: newId('mem_'), createdAt: systemClock.now() })
    .execute()
  await until(
    'the fleet is listed',
    async () => (await admin.get('/api/admin/managed-daemons?limit=1')).body.total === 3,
  )
  rolloutId = await startRollout()
})
afterAll(async () => {
  await browser?.close()
  await cp?.stop()
})

const rename = async () => {
  const name = `Acme ${(count += 1)}`
  await admin.post('/api/auth/organization/update', { organizationId: acme.id, data: { name } })
  return name
}
const invite = async () => {
  const email = `guest${(count += 1)}@example.org`
  await admin.post('/api/auth/organization/invite-member', { organizationId: acme.id, email, role: 'member' })
  return email
}
const rotate = async () =>
  `svc_dmn_…${((await admin.post(`/api/orgs/${acme.id}/api-key/rotate`, { immediate: true })).body.apiKey as string).slice(-4)}`
const signInElsewhere = async () => {
  const headers = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0' }
  await cp.person().post('/api/auth/sign-in/email', { email: admin.email, password: PASSWORD }, { headers })
  return 'Firefox on Windows'
}
const signUp = async () => {
  const email = `person${(count += 1)}@example.org`
  await cp.person().signUp({ email })
  return email
}
const found = async () => {
  const name = `Founded ${(count += 1)}`
  await admin.post('/api/provisioning/orgs/self-hosted', { name })
  return name
}
async function startRollout(): Promise<string> {
  const image = `local/svcd@sha256:${'1'.repeat(64)}`
  const { body } = await admin.post('/api/admin/rollouts', {
    operationId: 'rollout-of-the-test',
    reason: 'a test',
    image,
    confirmation: image,
    settings: { canary: { count: 1, orgIds: [fleet[0]!.orgId] }, shares: [100], failureBudget: 0 },
  })
  return body.rollout.id as string
}
const changeRollout = (change: 'pause' | 'resume' | 'abort', words: string) => async () => {
  await admin.post(`/api/admin/rollouts/${rolloutId}/${change}`, { reason: 'a test' })
  return words
}
/** Reports a new version, as an operator would. */
const report = async (): Promise<string> => {
  const version = `1.0.${(count += 1)}`
  const { name, resourceVersion, status } = (await cp.store.find(managedDaemonName(fleet[2]!.orgId)))!
  await cp.store.putStatus(name, resourceVersion, { ...status, version })
  return version
}
/** Starts an operation that does not end, because no operator runs. */
const operate = async (): Promise<string> => {
  const { orgId, slug } = fleet[1]!
  const image = `local/svcd@sha256:${'2'.repeat(64)}`
  const operation = { operationId: 'update-of-the-test', reason: 'a test', image, confirmation: orgId }
  admin.post(`/api/admin/managed-daemons/${orgId}/image`, operation).catch(() => {})
  await until('it executes', async () => (await admin.get('/api/admin/mutation-claims')).text.includes(orgId))
  return slug
}
const rule = async (): Promise<string> => {
  const key = `https://program${(count += 1)}.example/metadata.json`
  await admin.send('PUT', '/api/admin/agent-rules', { body: { key, verdict: 'blocked' } })
  return key
}

const pages: [name: string, path: () => string, change: () => Promise<string>][] = [
  ['home', () => '/', rename],
  ['the vaults of an organization', () => '/organizations/acme', rename],
  ['members and invitations', () => '/organizations/acme/members', invite],
  ['a self-hosted daemon and its key', () => '/organizations/acme/host', rotate],
  ['a hosted daemon', () => `/organizations/${fleet[2]!.slug}/host`, report],
  ['the audit of an organization', () => '/organizations/acme/audit', invite],
  ['the profile', () => '/profile', signInElsewhere],
  ['the console', () => '/admin', report],
  ['one daemon in the console', () => `/admin/organizations/${fleet[2]!.orgId}`, report],
  ['organizations', () => '/admin/organizations', found],
  ['people', () => '/admin/people', signUp],
  ['rollouts', () => '/admin/rollouts', changeRollout('pause', 'Paused')],
  ['one rollout', () => `/admin/rollouts/${rolloutId}`, changeRollout('resume', 'Running')],
  ['stuck operations', () => '/admin/claims', operate],
  ['rules about agents', () => '/admin/agents', rule],
  ['the audit of the platform', () => '/admin/audit', changeRollout('abort', 'Aborted a rollout')],
]

const took = new Map<string, number>()
afterAll(() => {
  const words = [...took].map(([name, ms]) => `${name} ${(ms / 1000).toFixed(1)} s`)
  console.log(`from the change to the page: ${words.join(', ')}`)
})

test.each(pages)('%s shows what changed elsewhere, by an event and not by a later poll', async (name, path, change) => {
  verifies('web.live')
  const context = await browser.newContext({ viewport: { width: 1280, height: 850 } })
  await context.addCookies([...admin.cookies].map(([cookie, value]) => ({ name: cookie, value, url: cp.origin })))
  // Pages also read again every 30 seconds. Switch that off, so that only an event makes a page read again.
  await context.addInitScript(() => {
    const { setInterval } = window
    const isPoll = (ms: unknown) => typeof ms === 'number' && ms >= 20_000
    window.setInterval = ((...given: Parameters<typeof globalThis.setInterval>) =>
      isPoll(given[1]) ? 0 : setInterval(...given)) as typeof setInterval
  })
  const page = await context.newPage()
  let reading = 0
  const isRead = (request: Request) => request.url().includes('/api/') && !request.url().endsWith('/api/events')
  page.on('request', (request) => (reading += Number(isRead(request))))
  page.on('requestfinished', (request) => (reading -= Number(isRead(request))))
  page.on('requestfailed', (request) => (reading -= Number(isRead(request))))
  const told = page.waitForResponse((answer) => answer.url().endsWith('/api/events') && answer.status() === 200)
  await page.goto(cp.origin + path())
  await told
  await page.getByRole('heading', { level: 1 }).waitFor()
  await until('everything is read', () => reading === 0)
  const shown = await change()
  const since = systemClock.monotonic()
  await page.getByText(shown).first().waitFor()
  took.set(name, systemClock.monotonic() - since)
  await context.close()
})
