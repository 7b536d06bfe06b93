import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { isLosingVolume, managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { createReconciler } from '../../operator/src/reconciler/reconciler.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import { limits } from '../support/hosted-world.ts'
import { memoryRuntime } from '../support/memory-runtime.ts'
import { operate } from '../support/operate.ts'
import { PASSWORD, type Answer, type Person } from '../support/person.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const operatorOrg = newId('org_')
const EMAIL = 'admin@example.org'
const { runtime, actions, loseVolume, setGoing } = memoryRuntime()
const log = createLog({ service: 'operator', level: 'fatal' })

let database: TestDatabase
let cp: TestControlPlane
let reconciler: ReturnType<typeof createReconciler>
let admin: Person
let orgId: string
let count = 0

async function start(): Promise<void> {
  cp = await startControlPlane({ working: true, database, environment: { OPERATOR_ORG: operatorOrg } })
  reconciler = createReconciler({ store: cp.store, runtime, clock: systemClock, log, random: Math.random, limits })
  reconciler.start()
  admin = cp.person()
}
async function stop(): Promise<void> {
  await reconciler.stop()
  await cp.stop()
}

beforeAll(async () => {
  database = await createTestDatabase()
  await start()
  await admin.signUp({ email: EMAIL })
  await makeFirstAdmin(cp, operatorOrg, admin)
  const made = await admin.post('/api/provisioning/orgs/cloud-hosted/comped', { name: 'Alpha', slug: 'alpha' })
  orgId = made.body.organization.id
  await reaches('running', (daemon) => daemon?.status.operation?.outcome === 'succeeded')
})
afterAll(async () => {
  await stop()
  await database.drop()
})

const find = () => cp.store.find(managedDaemonName(orgId))
async function reaches(what: string, holds: (daemon: ManagedDaemon | undefined) => boolean): Promise<void> {
  await until(what, async () => holds(await find()))
}
const body = (more: object = {}) => ({
  operationId: `daemon-operation-${++count}`,
  reason: 'a test',
  confirmation: 'alpha',
  ...more,
})
const ask = (path: string, request: ReturnType<typeof body>): Promise<Answer> =>
  operate(admin, { orgId, path, ...request })
const query = async (statement: string, values: unknown[] = []) => {
  const client = new pg.Client({ connectionString: database.url.reveal() })
  await client.connect()
  try {
    return await client.query(statement, values)
  } finally {
    await client.end()
  }
}
const inventory = async () => (await admin.get(`/api/admin/managed-daemons?orgId=${orgId}`)).body.daemons?.[0]
const events = async (): Promise<string[]> => {
  const { status, body } = await admin.get(`/api/admin/managed-daemons/${orgId}/events?limit=100`)
  return status === 200 ? body.events.map(({ kind }: { kind: string }) => kind) : []
}

describe('growth', () => {
  test('gives the volume another size, once, and tells of it', async () => {
    verifies('operator.grow-and-sleep')
    const request = body({ size: '7Gi' })
    const grown = await ask('storage/grow', request)
    expect(grown.body).toMatchObject({ ok: true, orgId, size: '7Gi', capacityBytes: 7 * 2 ** 30 })
    expect((await ask('storage/grow', request)).text).toBe(grown.text)
    expect((await find())?.spec.storage.size).toBe('7Gi')
    expect(await events()).toEqual(expect.arrayContaining(['storage_grow_started', 'storage_grown']))
  })

  test('is refused where it is none, or no size, or not confirmed', async () => {
    for (const size of ['7Gi', '5Gi', '7168Mi'])
      expect((await ask('storage/grow', body({ size }))).body.error).toMatchObject({
        code: 'operation_failed',
        details: { reason: 'NotLarger' },
      })
    for (const size of ['', '0Gi', '10', '10GB', '-1Gi', '1.5Gi', undefined])
      expect((await ask('storage/grow', body({ size }))).body.error.code).toBe('invalid_request')
    const mistaken = body({ size: '9Gi', confirmation: 'Alpha' })
    expect((await ask('storage/grow', mistaken)).body.error.code).toBe('confirmation_mismatch')
    expect((await find())?.spec.storage.size).toBe('7Gi')
  })

  test('needs no daemon that is awake, and wakes none', async () => {
    expect((await ask('sleep', body())).body).toMatchObject({ ok: true, observedState: 'sleeping' })
    expect((await ask('storage/grow', body({ size: '8Gi' }))).body).toMatchObject({ ok: true, size: '8Gi' })
    expect(await find()).toMatchObject({
      spec: { desiredState: 'sleeping', storage: { size: '8Gi' } },
      status: { observedState: 'sleeping' },
    })
  })
})

test('sleep: asleep already is asleep; a visit wakes it; who comes meanwhile fails the operation', async () => {
  expect((await ask('sleep', body())).body).toMatchObject({ ok: true, observedState: 'sleeping' })
  expect((await admin.post('/api/orgs/alpha/hosted/wake', {})).status).toBe(200)
  await reaches('running', (daemon) => daemon?.status.observedState === 'running')
  expect(await events()).toEqual(expect.arrayContaining(['sleep_requested', 'wake_requested']))

  // The reconciler is stopped, so the visit comes before the new spec takes effect.
  await reconciler.stop()
  const request = body()
  const asked = ask('sleep', request)
  await reaches('asked to sleep', (daemon) => daemon?.spec.desiredState === 'sleeping')
  await admin.post('/api/orgs/alpha/hosted/wake', {})
  expect((await asked).body.error).toMatchObject({ code: 'operation_failed', details: { reason: 'Woken' } })
  expect((await find())?.status.observedState).toBe('running')
  reconciler = createReconciler({ store: cp.store, runtime, clock: systemClock, log, random: Math.random, limits })
  reconciler.start()
})

describe('a resource that somebody deletes on the cluster', () => {
  const lose = async () => {
    await cp.store.remove(managedDaemonName(orgId))
    await reaches('it is gone', (daemon) => daemon === undefined)
  }

  test('is noticed and reported, and not recreated automatically', async () => {
    verifies('operator.resource-lost')
    const { uid } = (await find())!
    await lose()
    await until('the report', async () => (await events()).includes('resource_lost'))
    await until('the inventory has it', async () => (await inventory())?.daemon === null)
    expect((await inventory()).problem).toContain('reinstall')
    expect(await cp.metrics()).toMatch(/^svc_managed_daemon_problems 1$/m)
    const { body: hosted } = await admin.get('/api/orgs/alpha/hosted/status')
    expect(hosted.status).toMatchObject({ observedState: 'failed' })
    const { body: listed } = await admin.get('/api/vaults')
    expect(listed.organizations.find((each: { orgId: string }) => each.orgId === orgId).state).toBe('failed')
    await admin.post('/api/orgs/alpha/hosted/wake', {})
    for (const action of ['sleep', 'key/rotate'])
      expect((await ask(action, body())).body.error.details.reason).toBe('NoManagedDaemon')
    expect(await find()).toBeUndefined()

    const request = body()
    const again = await ask('reinstall', request)
    expect(again.body).toMatchObject({ ok: true, orgId, observedState: 'running' })
    expect((await ask('reinstall', request)).text).toBe(again.text)
    const made = (await find())!
    expect(made.uid).not.toBe(uid)
    // No generation is used twice: the keys of the first resource are recognized by their hashes.
    expect(made.spec.relay).toMatchObject({ keyGeneration: 2, acceptedGeneration: 2 })
    await until('no problem is left', async () => (await inventory())?.problem === null)
    expect(await events()).toEqual(expect.arrayContaining(['resource_lost', 'reinstall_started', 'reinstalled']))
  })

  test('is reinstalled with the image that ran last', async () => {
    const image = `local/svcd@sha256:${'7'.repeat(64)}`
    const rolled = await ask('image', body({ image, confirmation: orgId }))
    expect(rolled.body).toMatchObject({ ok: true, image })
    await lose()
    expect((await ask('reinstall', body())).body).toMatchObject({ ok: true, image })
    expect((await find())?.spec.image).toBe(image)
  })

  test('is left alone by a reinstallation while it is there', async () => {
    const { resourceVersion } = (await find())!
    expect((await ask('reinstall', body())).body.error).toMatchObject({
      code: 'operation_failed',
      details: { reason: 'ResourcePresent' },
    })
    expect((await find())?.resourceVersion).toBe(resourceVersion)
  })

  test('is noticed by a control plane that did not run when it went', async () => {
    await reconciler.stop()
    await cp.stop()
    const other = await startControlPlane({ database })
    const name = managedDaemonName(orgId)
    await other.store.remove(name)
    await other.store.release(name, (await other.store.find(name))!.resourceVersion)
    await other.stop()

    await start()
    await admin.post('/api/auth/sign-in/email', { email: EMAIL, password: PASSWORD })
    await until('the report', async () => (await inventory())?.problem?.includes('reinstall'))
    expect((await ask('reinstall', body())).body).toMatchObject({ ok: true, observedState: 'running' })
  })
})

test('a daemon whose volume is being deleted is not put to sleep: it has the only copy', async () => {
  verifies('operator.volume-lost')
  await reaches('running', (daemon) => daemon?.status.observedState === 'running')
  const { name } = (await find())!
  const stops = () => actions.filter(({ kind }) => kind === 'stopped').length
  const before = stops()
  setGoing(name, 'going')
  await reaches('the report', (daemon) => daemon !== undefined && isLosingVolume(daemon.status))
  const refusal = { code: 'operation_failed', details: { reason: 'VolumeLost' } }
  expect((await ask('sleep', body())).body.error).toMatchObject(refusal)
  expect((await ask('reinstall', body())).body.error.details.reason).toBe('ResourcePresent')
  expect(await find()).toMatchObject({ spec: { desiredState: 'running' }, status: { observedState: 'running' } })
  expect(stops()).toBe(before)
  setGoing(name, 'stays')
  await reaches('no loss', (daemon) => daemon !== undefined && !isLosingVolume(daemon.status))
})

test('a daemon whose volume is lost is failed, not replaced by an empty one, until it is reinstalled', async () => {
  verifies('operator.volume-lost')
  expect((await ask('sleep', body())).body).toMatchObject({ ok: true, observedState: 'sleeping' })
  const before = (await find())!
  loseVolume(before.name)
  await reaches('failed', (daemon) => daemon?.status.observedState === 'failed')
  const { body: hosted } = await admin.get('/api/orgs/alpha/hosted/status')
  expect(hosted.status).toMatchObject({ observedState: 'failed' })
  await admin.post('/api/orgs/alpha/hosted/wake', {})
  const image = `local/svcd@sha256:${'8'.repeat(64)}`
  const refusal = { code: 'operation_failed', details: { reason: 'VolumeLost' } }
  expect((await ask('key/rotate', body())).body.error).toMatchObject(refusal)
  expect((await ask('image', body({ image, confirmation: orgId }))).body.error).toMatchObject(refusal)
  expect(await find()).toMatchObject({ uid: before.uid, status: { observedState: 'failed' } })
  await until('the inventory', async () => (await inventory())?.daemon?.observedState === 'failed')

  const request = body()
  const again = await ask('reinstall', request)
  expect(again.body).toMatchObject({ ok: true, observedState: 'running', image: before.status.image })
  expect((await ask('reinstall', request)).text).toBe(again.text)
  const made = (await find())!
  expect(made.uid).not.toBe(before.uid)
  expect(made.spec.relay.acceptedGeneration).toBeGreaterThan(before.spec.relay.acceptedGeneration)
  await until('no problem is left', async () => (await inventory())?.problem === null)
  expect((await ask('reinstall', body())).body.error.details.reason).toBe('ResourcePresent')
})

test('a database restored from before a rotation learns the key that the resource reports, and rotation goes on', async () => {
  verifies('operator.key-known-again')
  const stored = async () => {
    const { rows } = await query('select generation, encode(hash, $1) as hash from daemon_keys order by id', ['hex'])
    return rows as { generation: number; hash: string }[]
  }
  const before = await stored()
  expect((await ask('key/rotate', body())).body).toMatchObject({ ok: true })
  const [reported] = (await find())!.status.relay!.keys.slice(-1)
  expect((await stored()).at(-1)).toEqual(reported)

  await stop()
  await query('delete from daemon_keys where generation = $1', [reported!.generation])
  expect(await stored()).toEqual(before)
  await start()
  await until('the key is known again', async () => (await stored()).length > before.length)
  expect((await stored()).at(-1)).toEqual(reported)

  await admin.post('/api/auth/sign-in/email', { email: EMAIL, password: PASSWORD })
  const keyGeneration = reported!.generation + 1
  expect((await ask('key/rotate', body())).body).toMatchObject({ ok: true, keyGeneration })
  expect((await stored()).at(-1)?.generation).toBe(keyGeneration)
})
