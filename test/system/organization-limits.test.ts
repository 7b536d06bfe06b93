import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { OwnLimits } from '@svc/shared/wire/admin/limits.api.ts'
import { organizationLimitsRepository } from '../../control-plane/src/limits/limit-settings.repository.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import type { Person } from '../support/person.ts'
import { startRelay } from '../support/relay.ts'
import { startDaemon, until, type RelayHarness } from '../support/relay-replica.ts'

describe('the routes', () => {
  const operatorOrg = newId('org_')
  let cp: TestControlPlane
  let admin: Person
  let org: { id: string; slug: string }
  let owner: Person
  let path: string
  beforeAll(async () => {
    cp = await startControlPlane({ environment: { OPERATOR_ORG: operatorOrg, ORG_REQUESTS: '300' } })
    admin = cp.person()
    await admin.signUp({ email: 'admin@example.org' })
    await makeFirstAdmin(cp, operatorOrg, admin)
    owner = cp.person()
    await owner.signUp({ email: 'owner@example.org' })
    org = (await owner.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })).body.organization
    path = `/api/admin/orgs/${org.id}/limits`
  })
  afterAll(() => cp.stop())
  const set = (own: object, more: object = {}) =>
    admin.send('PUT', path, { body: { reason: 'they asked for it', confirmation: org.slug, own, ...more } })

  test('show the defaults of the platform, set and take back limits, and leave who did it in the audit', async () => {
    verifies('admin.organization-limits')
    const platform = {
      requests: 300,
      bytesPerSecond: 67_108_864,
      personPercent: 50,
      bodyBytes: 17_179_869_184,
      tunnels: 4,
      storageMaxSize: null,
    }
    expect((await admin.get(path)).body).toEqual({ ok: true, orgId: org.id, limits: platform, own: {}, platform })

    const own = { requests: 20, storageMaxSize: '20Gi' }
    const answer = { ok: true, orgId: org.id, limits: { ...platform, ...own }, own, platform }
    expect((await set(own)).body).toEqual(answer)
    expect((await admin.get(path)).body).toEqual(answer)

    expect((await set({})).body).toMatchObject({ own: {}, limits: platform })
    const { body } = await admin.get(`/api/admin/audit?chain=${org.id}`)
    const records = body.entries.map(({ record }: { record: object }) => record)
    for (const limits of ['requests=20 storageMaxSize=20Gi', 'platform'])
      expect(records).toContainEqual(
        expect.objectContaining({
          event: 'organization.limits_set',
          actor: { kind: 'user', id: admin.id },
          reason: 'they asked for it',
          limits,
        }),
      )
  })

  test('refuse invalid limits, unknown names and other callers, and then change nothing', async () => {
    verifies('admin.organization-limits')
    await set({ requests: 40 })
    for (const bad of [
      { requests: 0 },
      { requests: 1.5 },
      { tunnels: 5 },
      { bodyBytes: 1 },
      { storageMaxSize: null },
      { x: 1 },
    ])
      expect([bad, (await set(bad)).body.error?.code]).toEqual([bad, 'invalid_request'])
    expect((await set({}, { confirmation: 'other' })).body.error.code).toBe('confirmation_mismatch')
    expect((await set({}, { reason: '' })).body.error.code).toBe('invalid_request')
    expect((await owner.get(path)).body.error.code).toBe('forbidden')
    const body = { reason: 'more for us', confirmation: org.slug, own: {} }
    expect((await owner.send('PUT', path, { body })).body.error.code).toBe('forbidden')
    const other = `/api/admin/orgs/${newId('org_')}/limits`
    expect((await admin.get(other)).body.error.code).toBe('not_found')
    expect((await admin.get(path)).body.own).toEqual({ requests: 40 })
  })
})

describe('the relay', () => {
  let harness: RelayHarness
  let org: Awaited<ReturnType<RelayHarness['makeOrganization']>>
  let cookie: string
  beforeAll(async () => {
    harness = await startRelay({ tunnelsPerDaemon: 2 })
    org = await harness.makeOrganization()
    const person = await harness.makePerson(org.orgId)
    cookie = await harness.enter({ orgId: org.orgId, person, vault: 'v' })
  })
  afterAll(() => harness.close())

  const setLimits = (own: OwnLimits) =>
    organizationLimitsRepository(harness.db).update(org.orgId, own, systemClock.now())
  const ask = (method = 'GET', body?: Buffer, headers: Record<string, string> = {}) =>
    harness.ask({
      host: org.host,
      method,
      path: method === 'GET' ? '/api/vaults/v/tree' : '/api/vaults/v/notes/a.md',
      headers: { cookie, origin: org.origin, ...headers },
      ...(body === undefined ? {} : { body }),
    })
  const large = Buffer.alloc(200_000)
  const statusOf = async (...given: Parameters<typeof ask>) => (await ask(...given)).status

  test('applies the limits of one organization without a restart: bodies, requests, tunnels', async () => {
    verifies('relay.organization-limits')
    await setLimits({ tunnels: 1, bodyBytes: 65_536 })
    // This needs no daemon: the size of a body is checked before anything is forwarded.
    await until(async () => (await statusOf('PUT', large)) === 413)
    expect(JSON.parse((await ask('PUT', large)).text).error).toMatchObject({
      code: 'payload_too_large',
      details: { maxBytes: 65_536 },
    })

    const other = await harness.makeOrganization()
    const unlimited = await startDaemon(harness, other, (_req, res) => res.end('ok'))
    const daemon = await startDaemon(harness, org, (req, res) => {
      if (req.url?.endsWith('/events')) return void res.writeHead(200).write('data: 1\n\n')
      req.resume().once('end', () => res.end('ok'))
    })
    try {
      await until(() => daemon.connection.status().controlConnected)
      await until(async () => (await statusOf()) === 200)
      expect(await statusOf('PUT', large)).toBe(413)
      expect(await statusOf('PUT', large, { 'transfer-encoding': 'chunked' })).toBe(413)
      expect(await statusOf('PUT', Buffer.alloc(60_000))).toBe(200)
      await until(async () => (await harness.relay.status(other.orgId)).tunnels === 2)
      expect((await harness.relay.status(org.orgId)).tunnels).toBe(1)

      await setLimits({})
      await until(async () => (await statusOf('PUT', large)) === 200)

      // One person gets at most half of the requests. With a limit of two, that is one request at a time.
      await setLimits({ requests: 2 })
      const stream = harness.ask({ host: org.host, path: '/api/vaults/v/events', headers: { cookie } })
      stream.catch(() => {})
      await until(async () => (await statusOf()) === 429)
      await setLimits({})
      await until(async () => (await statusOf()) === 200)
    } finally {
      await unlimited.close()
      await daemon.close()
    }
  })

  test('ends the tunnels above a lowered limit for good, and takes them again when it is raised', async () => {
    verifies('relay.organization-limits')
    const one = await harness.makeOrganization()
    const limit = (own: OwnLimits) => organizationLimitsRepository(harness.db).update(one.orgId, own, systemClock.now())
    const own = await harness.enter({ orgId: one.orgId, person: await harness.makePerson(one.orgId), vault: 'v' })
    const headers = { cookie: own, origin: one.origin }
    const put = { host: one.host, method: 'PUT', path: '/api/vaults/v/notes/a.md', headers, body: large }
    const lines: { msg: string; connectionId?: string; reconnectAfterMs?: number }[] = []
    const log = createLog({
      service: 'daemon',
      level: 'info',
      destination: { write: (line) => void lines.push(JSON.parse(line)) },
    })
    const logged = (msg: string) => lines.filter((line) => line.msg === msg)
    // The relay asks the daemon to dial again after 30 s.
    const sleep: Clock['sleep'] = (ms, signal) => systemClock.sleep(ms === 30_000 ? 100 : ms, signal)
    const daemon = await startDaemon(
      { ...harness, log },
      one,
      (req, res) => void req.resume().once('end', () => res.end('ok')),
      {
        clock: { ...systemClock, sleep },
      },
    )
    const held = () => harness.relay.held.list(one.orgId).map(({ connectionId }) => connectionId)
    try {
      await until(() => held().length === 2)
      await limit({ tunnels: 1, bodyBytes: 65_536 })
      await until(() => logged('the relay wants fewer tunnels').length > 0)
      await until(() => held().length === 1)
      const connected = logged('connected to the relay').map(({ connectionId }) => connectionId)
      expect(connected).toHaveLength(2)
      expect(connected).toContain(held()[0])
      expect(logged('the relay sent a go-away')).toMatchObject([{ reason: 'replaced', reconnectAfterMs: 30_000 }])
      expect(daemon.connection.status()).toMatchObject({ controlConnected: true, reconnectScheduled: false })

      await limit({})
      await until(async () => (await harness.ask(put)).status === 200)
      harness.relay.closeTunnels(one.orgId, 'draining')
      await until(() => held().length === 2)
    } finally {
      await daemon.close()
    }
  })
})
