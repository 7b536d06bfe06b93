import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { BLIP_MS } from '../../control-plane/src/gateway/wake-queue.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import type { Person } from '../support/person.ts'
import { askAt, startDaemon, until } from '../support/relay-replica.ts'
import { removeFolder } from '../support/remove-folder.ts'

const log = createLog({ service: 'test', level: 'silent' })
let cp: TestControlPlane
let dialIn: Server
let port: number
let admin: Person
let org: { id: string; slug: string }
let created: { apiKey: string; daemonId: string }
/** Requests are held this long while the daemon changes its tunnel. */
let blipMs = BLIP_MS

beforeAll(async () => {
  const sleep: Clock['sleep'] = (ms, signal) => systemClock.sleep(ms === BLIP_MS ? blipMs : ms, signal)
  cp = await startControlPlane({ working: true, clock: { ...systemClock, sleep } })
  dialIn = createServer().listen(0, '127.0.0.1')
  dialIn.on('upgrade', cp.tunnels.dialIn.upgrade)
  await once(dialIn, 'listening')
  port = (dialIn.address() as AddressInfo).port
  admin = cp.person()
  await admin.signUp({ email: 'admin@example.org', name: 'Ada' })
  const { body } = await admin.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })
  org = body.organization
  created = body
})
afterAll(async () => {
  dialIn.closeAllConnections()
  dialIn.close()
  await cp.stop()
})

const daemonWith = (apiKey: string, options = {}) =>
  startDaemon(
    { port, log },
    { orgId: org.id, apiKey },
    (_req, res) => {
      res.setHeader('content-type', 'application/json')
      res.end(JSON.stringify({ ok: true, vaults: [{ id: 'notes', displayName: 'Notes' }] }))
    },
    options,
  )
const connected = async () => (await cp.tunnels.status(org.id)).connected

/** Enters a vault as a browser does; returns a request of that browser to the daemon. */
async function visitor(vault: string) {
  const { entry } = (await admin.post(`/api/orgs/${org.slug}/vaults/${vault}/entry`)).body
  const { host, port: gateway, pathname } = new URL(entry.url)
  const entered = await askAt(Number(gateway), {
    method: 'POST',
    host,
    path: pathname,
    headers: { origin: cp.origin, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ assertion: entry.assertion }).toString(),
  })
  expect(entered.status).toBe(303)
  const cookie = String(entered.headers['set-cookie']?.[0]).split(';')[0]!
  return () => askAt(Number(gateway), { host, path: `/api/vaults/${vault}/tree`, headers: { cookie } })
}

describe('the key of a daemon', () => {
  it('is masked in reads and plain once when issued or rotated', async () => {
    verifies('cp.api-key-masked', 'cp.api-key-issue', 'cp.api-key-rotate', 'daemon-key.plaintext-once')
    const read = await admin.get(`/api/orgs/${org.id}/api-key`)
    expect(read.body).toMatchObject({
      ok: true,
      key: { apiKey: `svc_dmn_…${created.apiKey.slice(-4)}`, daemonId: created.daemonId, lastUsedAt: null },
      relayUrl: `${cp.origin}/t/${org.id}`,
    })
    const issued = await admin.post(`/api/orgs/${org.id}/api-key`)
    const rotated = await admin.post(`/api/orgs/${org.id}/api-key/rotate`, { immediate: false })
    for (const { status, body, headers } of [issued, rotated]) {
      expect(status).toBe(200)
      expect(body).toMatchObject({ apiKey: expect.stringMatching(/^svc_dmn_/), daemonId: created.daemonId })
      expect(headers['cache-control']).toBe('no-store')
    }
    const stored = JSON.stringify(await cp.db.selectFrom('daemon_keys').selectAll().execute())
    for (const { apiKey } of [created, issued.body, rotated.body]) expect(stored).not.toContain(apiKey)
    expect((await admin.get(`/api/orgs/${org.id}/api-key`)).text).not.toContain(rotated.body.apiKey)
  })

  it('is for admins of self-hosted organizations', async () => {
    verifies('cp.key-routes-hosted')
    const stranger = cp.person()
    await stranger.signUp({ email: 'stranger@example.org' })
    expect((await stranger.get(`/api/orgs/${org.id}/api-key`)).body.error.code).toBe('not_found')
    expect((await cp.person().get(`/api/orgs/${org.id}/api-key`)).status).toBe(401)
    const hosted = await admin.post('/api/provisioning/orgs/cloud-hosted/comped', { name: 'Hosted' })
    const path = `/api/orgs/${hosted.body.organization.id}/api-key`
    for (const answer of [await admin.get(path), await admin.post(path), await admin.post(`${path}/rotate`, {})])
      expect(answer.body.error.code).toBe('not_self_hosted_daemon')
  })

  it('refuses what it does not know', async () => {
    const answer = await admin.post(`/api/orgs/${org.id}/api-key/rotate`, { immediate: 'yes' })
    expect(answer.body).toMatchObject({ error: { code: 'invalid_request', details: [{ path: 'immediate' }] } })
  })

  it('is revoked at once on request', async () => {
    verifies('cp.key-grace')
    const first = (await admin.post(`/api/orgs/${org.id}/api-key`)).body
    const daemon = await daemonWith(first.apiKey)
    await until(connected)
    await admin.post(`/api/orgs/${org.id}/api-key/rotate`, { immediate: true })
    await until(async () => !(await connected()))
    await daemon.close()
  })

  it('may be a file, which is watched: the daemon switches keys without a gap', async () => {
    verifies('daemon.key-file')
    const folder = await mkdtemp(join(tmpdir(), 'svc-key-'))
    onTestFinished(() => removeFolder(folder))
    const file = join(folder, 'token')
    await writeFile(file, (await admin.post(`/api/orgs/${org.id}/api-key`)).body.apiKey)
    const daemon = await daemonWith('', { key: { kind: 'file', path: file } })
    await until(connected)
    // However slow the database is, which registers the next tunnel.
    blipMs = 60_000
    onTestFinished(() => void (blipMs = BLIP_MS))
    const [before] = cp.tunnels.held.list(org.id)
    const ask = await visitor('notes')
    const statuses = new Set<number>()
    let isSwitching = true
    const asking = (async () => {
      while (isSwitching) statuses.add((await ask()).status)
    })()
    await writeFile(file, (await admin.post(`/api/orgs/${org.id}/api-key/rotate`, {})).body.apiKey)
    // Until the tunnel of the old key is closed.
    await until(() => {
      const [held, ...others] = cp.tunnels.held.list(org.id)
      return held !== undefined && others.length === 0 && held.keyId !== before!.keyId
    })
    isSwitching = false
    await asking
    expect([...statuses]).toEqual([200])
    await daemon.close()
  })
})

describe('entry', () => {
  const entryPath = (vault: string) => `/api/orgs/${org.slug}/vaults/${vault}/entry`

  it('fails typed while the daemon is away, and for outsiders as if there were nothing', async () => {
    await until(async () => !(await connected()))
    const away = await admin.post(entryPath('notes'))
    expect([away.status, away.body.error.code]).toEqual([503, 'daemon_offline'])
    expect(Number(away.headers['retry-after'])).toBeGreaterThan(0)
    const stranger = cp.person()
    await stranger.signUp({ email: 'other@example.org' })
    expect((await stranger.post(entryPath('notes'))).status).toBe(404)
  })

  it('mints an assertion for the vault origin after asking the daemon for its vaults', async () => {
    verifies('cp.entry')
    const daemon = await daemonWith((await admin.post(`/api/orgs/${org.id}/api-key`)).body.apiKey)
    await until(connected)
    expect((await admin.post(entryPath('other'))).status).toBe(404)
    const { status, body } = await admin.post(entryPath('notes'))
    expect(status).toBe(200)
    const url = new URL(body.entry.url)
    expect(url.pathname).toBe('/_svc/enter')
    expect(url.hostname).toMatch(/^[a-z2-7]{20}-1\.localhost$/)
    expect(decodeProtectedHeader(body.entry.assertion)).toMatchObject({ alg: 'EdDSA', typ: 'svc-entry+jwt' })
    const claims = decodeJwt(body.entry.assertion)
    expect(claims).toMatchObject({ aud: url.origin, org: org.id, vault: 'notes', role: 'admin', sub: admin.id })
    expect(claims.exp! - claims.iat!).toBe(60)
    await daemon.close()
  })
})
