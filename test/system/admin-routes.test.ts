import { Readable } from 'node:stream'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import { createReconciler } from '../../operator/src/reconciler/reconciler.ts'
import { verifyExport } from '../../control-plane/src/audit/export-audit.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import { limits } from '../support/hosted-world.ts'
import { memoryRuntime } from '../support/memory-runtime.ts'
import { operate, untilOutcome } from '../support/operate.ts'
import type { Person } from '../support/person.ts'
import { until } from '../support/until.ts'

const TOKEN = 'image-token-of-the-tests-0123456789abcdef'
const NEXT_TOKEN = 'the-token-that-comes-after-it-0123456789abc'
const image = (digit: string) => `local/svcd@sha256:${digit.repeat(64)}`
const operatorOrg = newId('org_')

let cp: TestControlPlane
let admin: Person
let member: Person
let reconciler: ReturnType<typeof createReconciler>
let offset = 0
const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + offset) }
const fleet: { orgId: string; slug: string }[] = []

beforeAll(async () => {
  cp = await startControlPlane({
    working: true,
    clock,
    environment: { OPERATOR_ORG: operatorOrg, MANAGED_DAEMON_ADMIN_TOKEN: `${TOKEN},${NEXT_TOKEN}` },
  })
  const { runtime } = memoryRuntime()
  const log = createLog({ service: 'operator', level: 'fatal' })
  reconciler = createReconciler({ store: cp.store, runtime, clock: systemClock, log, random: Math.random, limits })
  reconciler.start()

  admin = cp.person()
  await admin.signUp({ email: 'admin@example.org' })
  await makeFirstAdmin(cp, operatorOrg, admin, clock)

  member = cp.person()
  await member.signUp({ email: 'member@example.org' })
  for (const name of ['alpha', 'beta', 'gamma']) {
    const { body } = await member.post('/api/provisioning/orgs/cloud-hosted/comped', { name, slug: name })
    fleet.push({ orgId: body.organization.id, slug: body.organization.slug })
  }
  await until('the fleet runs', async () => {
    const daemons = await cp.store.list()
    return daemons.length === 3 && daemons.every(({ status }) => status.operation?.outcome === 'succeeded')
  })
})
afterAll(async () => {
  await reconciler.stop()
  await cp.stop()
})

let counter = 0
const operationId = () => `admin-route-${++counter}`
const roll = (orgId: string, wanted: string, change: object = {}) => ({
  image: wanted,
  confirmation: orgId,
  operationId: operationId(),
  reason: 'a test',
  ...change,
})
const imagePath = (orgId: string) => `/api/admin/managed-daemons/${orgId}/image`
const withToken = (token = TOKEN) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })

describe('who may', () => {
  const orgId = newId('org_')
  const rollout = newId('rol_')
  const routes: [string, string, object?][] = [
    ['GET', '/api/admin/status'],
    ['GET', '/api/admin/managed-daemons'],
    ['GET', `/api/admin/managed-daemons/${orgId}/events`],
    ['POST', imagePath(orgId), {}],
    ['GET', `/api/admin/orgs/${orgId}/mutations`],
    ['GET', '/api/admin/overview'],
    ['GET', '/api/admin/mutation-claims'],
    ['POST', `/api/admin/orgs/${orgId}/managed-daemon/comped`, {}],
    ['POST', `/api/admin/managed-daemons/${orgId}/storage/check`, {}],
    ['POST', `/api/admin/managed-daemons/${orgId}/key/rotate`, {}],
    ['POST', `/api/admin/managed-daemons/${orgId}/storage/grow`, {}],
    ['POST', `/api/admin/managed-daemons/${orgId}/sleep`, {}],
    ['POST', `/api/admin/managed-daemons/${orgId}/reinstall`, {}],
    ['POST', `/api/admin/orgs/${orgId}/mutation-claim/recover`, {}],
    ['GET', `/api/admin/orgs/${orgId}/limits`],
    ['PUT', `/api/admin/orgs/${orgId}/limits`, {}],
    ['GET', '/api/admin/rollouts'],
    ['POST', '/api/admin/rollouts', {}],
    ['POST', '/api/admin/rollouts/plan', {}],
    ['GET', `/api/admin/rollouts/${rollout}`],
    ['POST', `/api/admin/rollouts/${rollout}/pause`, {}],
    ['POST', `/api/admin/rollouts/${rollout}/resume`, {}],
    ['POST', `/api/admin/rollouts/${rollout}/abort`, {}],
    ['GET', '/api/admin/audit?chain=platform'],
    ['GET', '/api/admin/audit/verify'],
    ['GET', '/api/admin/audit/export?chain=platform'],
  ]

  test.each(routes)('%s %s: admins of the operator organization alone', async (method, path, body) => {
    verifies('auth.image-token', 'auth.system-admin', 'admin.status', 'security.admin-token')
    expect((await member.send(method, path, { body })).body.error.code).toBe('forbidden')
    expect((await cp.person().send(method, path, { body })).body.error.code).toBe('unauthenticated')

    const text = body === undefined ? undefined : JSON.stringify(body)
    for (const token of [TOKEN, NEXT_TOKEN]) {
      const bearer = await cp.raw(method, path, { headers: withToken(token), body: text })
      // If the token passes the guard, the empty body is refused instead.
      expect(bearer.body.error.code).toBe(path === imagePath(orgId) ? 'invalid_request' : 'unauthenticated')
    }
  })

  test('a session that is older than ten minutes reads, and changes nothing', async () => {
    verifies('security.admin-recent')
    offset = 11 * 60_000
    expect((await admin.get('/api/admin/managed-daemons')).status).toBe(200)
    const { orgId: target, slug } = fleet[0]!
    for (const [path, body] of [
      [imagePath(target), roll(target, image('9'))],
      [
        `/api/admin/managed-daemons/${target}/storage/check`,
        { operationId: operationId(), reason: 'old', confirmation: slug },
      ],
    ] as const)
      expect((await admin.post(path, body)).body.error.code).toBe('fresh_sign_in_required')
    offset = 0
  })

  test('the status names the operator organization and the workspace domains, without public mail domains', async () => {
    expect((await admin.get('/api/admin/status')).body).toEqual({
      ok: true,
      systemAdmin: true,
      operatorOrg,
      workspaceDomains: [],
    })
    const claims = fleet.slice(0, 2).map(({ orgId: organization_id }, index) => {
      const domain = ['acme.test', 'yahoo.com.mx'][index]!
      return { domain, organization_id, claimed_by: admin.id, claimed_at: new Date() }
    })
    await cp.db.insertInto('auto_admit_domains').values(claims).execute()
    expect((await admin.get('/api/admin/status')).body.workspaceDomains).toEqual(['acme.test'])
    await cp.db.deleteFrom('auto_admit_domains').execute()
  })
})

describe('image roll', () => {
  test('is refused without exact confirmation, from elsewhere, by tag latest, for others', async () => {
    verifies('operation.confirmation', 'admin.image-repository', 'operation.id-grammar')
    const { orgId } = fleet[0]!
    const code = async (body: object, target = orgId) => (await admin.post(imagePath(target), body)).body.error?.code
    expect(await code(roll(orgId, image('2'), { confirmation: 'alpha' }))).toBe('confirmation_mismatch')
    expect(await code(roll(orgId, `registry.example.net/svcd@sha256:${'2'.repeat(64)}`))).toBe('image_not_allowed')
    expect(await code(roll(orgId, `local/svcd-evil@sha256:${'2'.repeat(64)}`))).toBe('image_not_allowed')
    expect(await code(roll(orgId, 'local/svcd:latest'))).toBe('invalid_request')
    for (const operationId of ['short', 'x'.repeat(129), 'has a space in it', 'slash/slash'])
      expect(await code(roll(orgId, image('2'), { operationId }))).toBe('invalid_request')
    expect(await code(roll(orgId, image('2'), { surplus: 1 }))).toBe('invalid_request')
    const unknown = newId('org_')
    expect(await code(roll(unknown, image('2')), unknown)).toBe('not_found')

    const selfHosted = (await member.post('/api/provisioning/orgs/self-hosted', { name: 'Own', slug: 'own' })).body
    const own = selfHosted.organization.id
    expect(await code(roll(own, image('2')), own)).toBe('not_hosted_daemon')
    expect((await admin.get(`/api/admin/orgs/${orgId}/mutations`)).body.mutations).toEqual([])
  })

  test('reaches running and is answered again byte for byte', async () => {
    verifies('admin.image-roll', 'admin.mutations', 'operation.success-replayed')
    const { orgId } = fleet[0]!
    const body = roll(orgId, image('2'))
    const first = await untilOutcome(() => admin.post(imagePath(orgId), body))
    expect(first.body).toMatchObject({ ok: true, orgId, image: image('2'), observedState: 'running' })
    const again = await admin.post(imagePath(orgId), body)
    expect(again.text).toBe(first.text)
    expect(again.headers['content-type']).toBe(first.headers['content-type'])

    const conflict = await admin.post(imagePath(orgId), { ...body, reason: 'another reason' })
    expect(conflict.status).toBe(422)
    expect(conflict.body.error).toMatchObject({ code: 'operation_conflict', details: { differing: ['reason'] } })

    const { mutations } = (await admin.get(`/api/admin/orgs/${orgId}/mutations`)).body
    expect(mutations).toMatchObject([
      { action: 'image_roll', state: 'succeeded', actor: { kind: 'user', id: admin.id } },
    ])
    const { events } = (await admin.get(`/api/admin/managed-daemons/${orgId}/events?limit=100`)).body
    expect(events.map(({ kind }: { kind: string }) => kind)).toEqual(
      expect.arrayContaining(['image_roll_started', 'image_rolled', 'key_rotated', 'provisioned']),
    )
  })

  test('with the bearer token needs no operationId, answers one, and repeats nothing', async () => {
    verifies('admin.image-roll-token', 'security.admin-token')
    const { orgId } = fleet[1]!
    const send = (headers: Record<string, string>, body: object) =>
      cp.raw('POST', imagePath(orgId), { headers, body: JSON.stringify(body) })
    const body = { image: image('3'), confirmation: orgId }
    const first = await untilOutcome(() => send(withToken(), body))
    expect(first.body).toMatchObject({ ok: true, image: image('3'), operationId: expect.stringMatching(/^roll-/) })
    expect((await send(withToken(), body)).text).toBe(first.text)
    expect((await cp.store.find(managedDaemonName(orgId)))?.spec.relay.keyGeneration).toBe(2)

    const { mutations } = (await admin.get(`/api/admin/orgs/${orgId}/mutations`)).body
    expect(mutations).toMatchObject([{ actor: { kind: 'token', id: expect.stringMatching(/^token:[0-9a-f]{8}$/) } }])
    expect((await send(withToken('wrong'), body)).body.error.code).toBe('unauthenticated')
    const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    expect((await send({ ...withToken(), cookie }, body)).body.error.code).toBe('unauthenticated')
  })
})

test('grant and key rotation need the exact slug', async () => {
  verifies('admin.comped', 'operation.confirmation')
  const orgId = newId('org_')
  const row = { id: orgId, name: 'Delta', slug: 'delta', daemon_mode: 'cloud_hosted' as const, createdAt: new Date() }
  await cp.db
    .insertInto('organization')
    .values({ ...row, logo: null, metadata: null })
    .execute()
  const body = { operationId: operationId(), reason: 'a gift', confirmation: 'Delta' }
  const path = `/api/admin/orgs/${orgId}/managed-daemon/comped`
  expect((await admin.post(path, body)).body.error.code).toBe('confirmation_mismatch')
  const granted = await untilOutcome(() => admin.post(path, { ...body, confirmation: 'delta' }))
  expect(granted.body).toMatchObject({ ok: true, entitlement: { kind: 'comped' } })
  await until('delta runs', async () => {
    const daemon = await cp.store.find(managedDaemonName(orgId))
    return daemon?.status.operation?.outcome === 'succeeded'
  })

  const rotation = { orgId, path: 'key/rotate', operationId: operationId(), reason: 'leaked', confirmation: 'delta' }
  const rotated = await operate(admin, rotation)
  expect(rotated.body).toMatchObject({ ok: true, keyGeneration: 2 })
})

test('a stale claim is listed, and recovered only as the specification says', async () => {
  verifies('admin.claim-recover', 'claim.recovery')
  const { orgId, slug } = fleet[2]!
  const id = operationId()
  const now = new Date()
  await cp.db
    .insertInto('operations')
    .values({
      operation_id: id,
      action: 'image_roll',
      org_id: orgId,
      actor_kind: 'user',
      actor_id: admin.id,
      reason: 'a test',
      input: JSON.stringify({ image: image('4') }),
      state: 'executing',
      epoch: 1,
      attempts: 1,
      answer: null,
      failure_code: null,
      failure_reason: null,
      requested_at: now,
      updated_at: now,
      finished_at: null,
    })
    .execute()
  const claim = {
    org_id: orgId,
    operation_id: id,
    action: 'image_roll' as const,
    owner: 'gone:1:x',
    executor: 'gone:1',
  }
  const expires = new Date(now.getTime() + 600_000)
  await cp.db
    .insertInto('operation_claims')
    .values({ ...claim, epoch: 0, claimed_at: now, expires_at: expires })
    .execute()
  await cp.db.updateTable('operations').set({ epoch: 0 }).where('operation_id', '=', id).execute()

  expect((await admin.get('/api/admin/mutation-claims')).body.claims).toMatchObject([
    { orgId, orgSlug: slug, operationId: id, owner: 'gone:1:x', expired: false, executorAlive: false },
  ])
  const path = `/api/admin/orgs/${orgId}/mutation-claim/recover`
  const recovery = { action: 'image_roll', expectedOwner: 'gone:1:x', confirmation: slug, executorStopped: true }
  const refused = async (change: object) => (await admin.post(path, { ...recovery, ...change })).body.error
  expect(await refused({})).toMatchObject({ code: 'claim_not_recoverable', details: { reason: 'NotExpired' } })
  expect(await refused({ executorStopped: false })).toMatchObject({ code: 'invalid_request' })
  expect(await refused({ confirmation: 'else' })).toMatchObject({ code: 'confirmation_mismatch' })
  const busy = await admin.post(imagePath(orgId), roll(orgId, image('5')))
  expect(busy.body.error.code).toBe('organization_busy')

  // As if ten minutes had passed.
  const past = { expires_at: new Date(now.getTime() - 1) }
  await cp.db.updateTable('operation_claims').set(past).where('org_id', '=', orgId).execute()
  expect(await refused({ action: 'key_rotation' })).toMatchObject({ details: { reason: 'ActionDiffers' } })
  expect(await refused({ expectedOwner: 'other' })).toMatchObject({ details: { reason: 'OwnerDiffers' } })
  const recovered = await admin.post(path, recovery)
  expect(recovered.body).toEqual({ ok: true, orgId, operationId: id, action: 'image_roll', state: 'retryable' })
  expect((await admin.post(path, recovery)).body.error.code).toBe('not_found')

  const again = await operate(admin, {
    orgId,
    path: 'image',
    image: image('4'),
    confirmation: orgId,
    operationId: id,
  })
  expect(again.body).toMatchObject({ ok: true, image: image('4') })
})

test('a rollout is planned, begun, seen through and listed', async () => {
  const settings = { soakSeconds: 0, shares: [50, 100] }
  const plan = await admin.post('/api/admin/rollouts/plan', { image: image('6'), settings })
  expect(plan.body).toMatchObject({
    total: 4,
    alreadyThere: 0,
    waves: [{ members: 1 }, { members: 1 }, { members: 2 }],
  })

  const body = { operationId: operationId(), reason: 'release', image: image('6'), confirmation: image('6'), settings }
  expect((await admin.post('/api/admin/rollouts', { ...body, confirmation: 'yes' })).body.error.code).toBe(
    'confirmation_mismatch',
  )
  const { rollout } = (await admin.post('/api/admin/rollouts', body)).body
  expect((await admin.post('/api/admin/rollouts', body)).body.rollout.id).toBe(rollout.id)
  await until('the rollout succeeded', async () => {
    const found = (await admin.get(`/api/admin/rollouts/${rollout.id}`)).body.rollout
    return found?.state === 'succeeded' && found.counts.succeeded === 4
  })
  const { rollouts } = (await admin.get('/api/admin/rollouts')).body
  expect(rollouts).toMatchObject([{ id: rollout.id, actor: { kind: 'user', id: admin.id } }])
  expect((await admin.post(`/api/admin/rollouts/${rollout.id}/abort`, { reason: 'too late' })).body.error.code).toBe(
    'rollout_conflict',
  )
})

test('the audit verifies, is read by pages, and an export verifies elsewhere', async () => {
  verifies('security.audit-chain')
  expect((await admin.get('/api/admin/audit/verify')).body).toMatchObject({ valid: true, broken: [] })
  const { orgId } = fleet[0]!
  const { entries } = (await admin.get(`/api/admin/audit?chain=${orgId}&limit=2`)).body
  expect(entries.map(({ seq }: { seq: number }) => seq)).toEqual([entries[0].seq, entries[0].seq - 1])

  const exported = await admin.get(`/api/admin/audit/export?chain=${orgId}`)
  const lines = () => createInterface({ input: Readable.from([exported.text]) })
  expect(await verifyExport(lines())).toMatchObject({ chain: orgId, entries: entries[0].seq })
  const forged = exported.text.replace('new release', 'old release').replace('a test', 'a t3st')
  // The first entry is the making of the organization.
  expect(await verifyExport(createInterface({ input: Readable.from([forged]) }))).toMatchObject({
    broken: { seq: 2, problem: 'hash_differs' },
  })
})

test('the storage limit of an organization is how far its volume grows by itself', async () => {
  verifies('admin.organization-limits')
  // The volumes of the runtime in memory are always full, and would grow forever.
  await reconciler.stop()
  const { orgId, slug } = fleet[2]!
  const growth = async () => (await cp.store.find(managedDaemonName(orgId)))?.spec.storage.autoGrow
  const set = (own: object) =>
    admin.send('PUT', `/api/admin/orgs/${orgId}/limits`, {
      body: { reason: 'a larger vault', confirmation: slug, own },
    })
  expect((await set({ storageMaxSize: '20Gi' })).status).toBe(200)
  await until('the volume may grow', async () => (await growth())?.maxSize === '20Gi')
  expect((await set({})).status).toBe(200)
  // If the platform sets no size, growth ends at the current size of the volume.
  const size = (await cp.store.find(managedDaemonName(orgId)))?.spec.storage.size
  await until('it grows no more', async () => (await growth())?.maxSize === size)
})
