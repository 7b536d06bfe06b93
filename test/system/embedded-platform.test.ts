import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listedVaults } from '../support/listed-vaults.ts'
import { mailedToken } from '../support/mailbox.ts'
import { freePort } from '../support/free-port.ts'
import { START_MS, startPlatform, type Platform } from '../support/platform.ts'
import { verifies } from '../requirements.ts'

const main = fileURLToPath(new URL('../../embedded/main.ts', import.meta.url))

let platform: Platform
let cookie = ''
let signUpCookie = ''

beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(async () => {
  await platform?.remove()
})

type Answer = { status: number; body: any } // eslint-disable-line typescript/no-explicit-any -- read by the assertions

async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await fetch(platform.origin + path, {
    method,
    headers: {
      cookie: `${cookie}; ${signUpCookie}`,
      origin: platform.origin,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'manual',
  })
  const set = answer.headers.getSetCookie().find((text) => text.startsWith('svc_session'))
  if (set) cookie = set.split(';')[0] ?? ''
  const begun = answer.headers.getSetCookie().find((text) => text.startsWith('svc_sign_up'))
  if (begun) signUpCookie = begun.split(';')[0] ?? ''
  const text = await answer.text()
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text }
}

const childrenOf = async (pattern: string) => {
  const found: number[] = []
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const command = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '')
    if (command.includes(pattern)) found.push(Number(entry))
  }
  return found
}

test('a person signs up, confirms by the mail in the outbox and is signed in; the same routes answer typed failures without a session', async () => {
  verifies('auth.session-cookie', 'cp.health')
  expect((await call('GET', '/api/health')).body).toMatchObject({ ok: true, service: 'svc-control-plane' })
  expect(await call('GET', '/api/settings')).toMatchObject({
    status: 401,
    body: { error: { code: 'unauthenticated' } },
  })

  const person = { name: 'Grace Hopper', email: 'grace@example.org', password: 'a good long password' }
  expect((await call('POST', '/api/auth/sign-up/email', person)).status).toBe(200)
  expect(signUpCookie).toContain('svc_sign_up')
  const token = mailedToken(await platform.mailbox(person.email))
  expect((await call('POST', '/api/auth/sign-up/confirm', { token })).status).toBe(200)
  expect((await call('GET', '/api/settings')).body).toMatchObject({
    profile: { email: 'grace@example.org' },
    systemAdmin: false,
  })
})

test('the setup link makes the first system admin once, and only the newest link is open', async () => {
  verifies('security.setup-link', 'admin.status', 'auth.system-admin')
  expect(await call('GET', '/api/admin/status')).toMatchObject({ status: 403 })
  const token = new URL(platform.setupLink ?? '').hash.slice(1)
  expect((await call('POST', '/api/setup/claim', { token: 'not-the-token-of-the-link' })).status).toBe(404)
  expect((await call('POST', '/api/setup/claim', { token })).status).toBe(200)
  expect((await call('POST', '/api/setup/claim', { token })).status).toBe(404)
  expect((await call('GET', '/api/admin/status')).body).toMatchObject({ ok: true, systemAdmin: true })
  expect((await call('GET', '/api/settings')).body).toMatchObject({ systemAdmin: true })
})

test('an organization gets its hosted daemon once, however often the platform is killed on the way', async () => {
  verifies('cp.provision-crash')
  const created = await call('POST', '/api/provisioning/orgs/cloud-hosted/comped', { name: 'Killed on the way' })
  expect(created.status).toBe(201)
  const { id, slug } = created.body.organization as { id: string; slug: string }

  for (const ms of [0, 30, 120, 400, 900]) {
    await new Promise((resolve) => setTimeout(resolve, ms))
    await platform.kill()
    await platform.start()
  }
  await expect
    .poll(async () => (await call('GET', `/api/orgs/${slug}/hosted/status`)).body?.status?.observedState, {
      timeout: START_MS,
    })
    .toBe('running')

  const body = id.slice('org_'.length)
  expect(await readdir(join(platform.dataDir, 'daemons'))).toEqual([`org-${body}`])
  await expect.poll(() => childrenOf(`${platform.dataDir}/images/`).then((pids) => pids.length)).toBe(1)
  await expect
    .poll(async () => (await call('GET', '/api/vaults')).body.organizations[0])
    .toMatchObject({ state: 'available', vaults: [{ id: 'demo-vault' }] })
}, 900_000)

test('a member asks the hosted daemon for another vault, which is there at once', async () => {
  verifies('cp.hosted-vault')
  const [organization] = (await call('GET', '/api/vaults')).body.organizations as { orgId: string }[]
  const path = `/api/orgs/${organization?.orgId}/vaults/hosted`
  expect(await call('POST', path, { displayName: 'Plans', slug: 'plans' })).toMatchObject({
    body: { ok: true, vault: { id: 'plans', displayName: 'Plans' } },
  })
  expect((await call('POST', path, { displayName: 'Plans', slug: 'plans' })).body).toMatchObject({
    error: { code: 'vault_exists' },
  })
  const listed = await listedVaults(() => call('GET', '/api/vaults'))
  const { vaults } = listed.organizations[0] as { vaults: { id: string }[] }
  expect(vaults.map(({ id }) => id).toSorted()).toEqual(['demo-vault', 'plans'])
})

test('a second platform on the same data, and a taken port, end with one line and 75', async () => {
  const attempt = async (args: string[]) => {
    const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
    const [code] = (await once(child, 'close')) as [number]
    return { code, said }
  }
  const taken = await attempt(['--port', String(platform.port), '--data', platform.dataDir])
  expect(taken).toMatchObject({ code: 75, said: expect.stringContaining(`Port ${platform.port} is taken`) })

  const shared = await attempt(['--port', String(await freePort()), '--data', platform.dataDir])
  expect(shared).toMatchObject({ code: 75, said: expect.stringContaining('in use by another running platform') })
  expect((await attempt(['--nonsense'])).code).toBe(78)
})

test('Ctrl-C ends everything: no daemon, no database, exit code 0', async () => {
  verifies('house.embedded-postgres')
  expect(await platform.stop()).toBe(0)
  // The processes that a daemon itself started end with it, a moment later.
  await expect.poll(() => childrenOf(platform.dataDir)).toEqual([])
})
