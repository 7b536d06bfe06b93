import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { createReconciler } from '../../operator/src/reconciler/reconciler.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import { limits } from '../support/hosted-world.ts'
import { startImageRegistry, type ImageRegistry } from '../support/image-registry.ts'
import { memoryRuntime } from '../support/memory-runtime.ts'
import type { Person } from '../support/person.ts'
import { until } from '../support/until.ts'

const PATH = 'team/svcd'
const operatorOrg = newId('org_')
const { runtime, actions } = memoryRuntime()
const log = createLog({ service: 'operator', level: 'fatal' })

let registry: ImageRegistry
let cp: TestControlPlane
let reconciler: ReturnType<typeof createReconciler>
let admin: Person
let orgId: string
let count = 0

const image = (tag: string) => `${registry.host}/${PATH}:${tag}`
const push = async (tag: string, content: string) => {
  const { index } = await registry.push({ repository: PATH, tag, content })
  return `${image(tag)}@${index}`
}
const find = () => cp.store.find(managedDaemonName(orgId))
const reaches = (what: string, holds: (daemon: ManagedDaemon) => boolean) =>
  until(what, async () => {
    const daemon = await find()
    return daemon !== undefined && holds(daemon)
  })
const roll = (change: object) =>
  admin.post(`/api/admin/managed-daemons/${orgId}/image`, { confirmation: orgId, reason: 'a test', ...change })
const operationId = () => `image-tags-${++count}`

async function systemAdmin({ db, origin, person }: TestControlPlane): Promise<Person> {
  const somebody = person()
  await somebody.signUp({ email: 'admin@example.org' })
  await makeFirstAdmin({ db, origin }, operatorOrg, somebody)
  return somebody
}

beforeAll(async () => {
  registry = await startImageRegistry()
  await push('1.0.0', 'one')
  cp = await startControlPlane({
    working: true,
    environment: {
      OPERATOR_ORG: operatorOrg,
      DAEMON_IMAGE_REPOSITORY: `${registry.host}/${PATH}`,
      DEFAULT_DAEMON_IMAGE: image('1.0.0'),
      IMAGE_REGISTRY_URL: registry.origin,
    },
  })
  reconciler = createReconciler({ store: cp.store, runtime, clock: systemClock, log, random: Math.random, limits })
  reconciler.start()
  admin = await systemAdmin(cp)
  const made = await admin.post('/api/provisioning/orgs/cloud-hosted/comped', { name: 'Alpha', slug: 'alpha' })
  orgId = made.body.organization.id
})
afterAll(async () => {
  await reconciler.stop()
  await cp.stop()
  await registry.stop()
})

test('the image of new daemons is resolved when a daemon is made', async () => {
  await reaches('running', ({ status }) => status.operation?.outcome === 'succeeded')
  expect((await find())?.spec.image).toMatch(new RegExp(`^${registry.host}/${PATH}:1\\.0\\.0@sha256:[0-9a-f]{64}$`))
})

test('a roll by tag runs the digest that the tag named, and is one operation wherever the tag goes', async () => {
  verifies('operator.tags-pinned')
  const exact = await push('2.0.0', 'two')
  const request = { image: image('2.0.0'), operationId: operationId() }
  const rolled = await roll(request)
  expect(rolled.body).toMatchObject({ ok: true, image: exact, observedState: 'running' })
  expect((await find())?.spec.image).toBe(exact)

  await push('2.0.0', 'two, built again')
  expect((await roll(request)).text).toBe(rolled.text)
  expect((await find())?.spec.image).toBe(exact)
  const { events } = (await admin.get(`/api/admin/managed-daemons/${orgId}/events?limit=5`)).body
  expect(events).toContainEqual(expect.objectContaining({ kind: 'image_rolled', image: exact }))
})

test('without an operationId it is derived from the digest: a tag that has moved is another roll', async () => {
  const first = await push('3.0.0', 'three')
  const one = await roll({ image: image('3.0.0') })
  expect(one.body).toMatchObject({ ok: true, image: first })
  expect((await roll({ image: image('3.0.0') })).text).toBe(one.text)

  const second = await push('3.0.0', 'three, built again')
  const other = await roll({ image: image('3.0.0') })
  expect(other.body).toMatchObject({ ok: true, image: second })
  expect(other.body.operationId).not.toBe(one.body.operationId)
})

test('a tag that is not there fails for good, and touches nothing', async () => {
  const before = (await find())!
  expect((await roll({ image: image('9.9.9') })).body.error.code).toBe('image_not_found')
  const { error } = (await roll({ image: image('9.9.9'), operationId: operationId() })).body
  expect(error).toMatchObject({ code: 'operation_failed', details: { cause: 'image_not_found' } })
  expect(error.message).toMatch(/^The registry has no such image/)
  expect((await find())?.resourceVersion).toBe(before.resourceVersion)
})

test('a rollout is of one digest, for all of the fleet and to its end', async () => {
  const exact = await push('4.0.0', 'four')
  const plan = await admin.post('/api/admin/rollouts/plan', { image: image('4.0.0'), settings: {} })
  expect(plan.body).toMatchObject({ total: 1, alreadyThere: 0 })
  const request = {
    operationId: operationId(),
    reason: 'release',
    image: image('4.0.0'),
    confirmation: image('4.0.0'),
    settings: { soakSeconds: 0, shares: [100] },
  }
  const { rollout } = (await admin.post('/api/admin/rollouts', request)).body
  expect(rollout.image).toBe(exact)
  await push('4.0.0', 'four, built again')
  expect((await admin.post('/api/admin/rollouts', request)).body.rollout.id).toBe(rollout.id)
  await reaches('the digest of then', ({ status }) => status.image === exact)

  // The tag names another image now, so the fleet is not up to date.
  const again = await admin.post('/api/admin/rollouts/plan', { image: image('4.0.0'), settings: {} })
  expect(again.body).toMatchObject({ alreadyThere: 0 })
  await until('the rollout ended', async () => {
    const found = await admin.get(`/api/admin/rollouts/${rollout.id}`)
    return found.body.rollout.state === 'succeeded'
  })
})

test('while the registry is away a tag waits, a digest does not, and what is recorded is answered', async () => {
  const exact = await push('5.0.0', 'five')
  const byTag = { image: image('5.0.0'), operationId: operationId() }
  const done = await roll(byTag)
  expect(done.body).toMatchObject({ ok: true, image: exact })
  const other = await push('6.0.0', 'six')
  await registry.stop()
  const started = actions.length

  expect((await roll(byTag)).text).toBe(done.text)
  const waiting = await roll({ image: image('6.0.0'), operationId: operationId() })
  expect(waiting.body.error).toMatchObject({ code: 'operation_retryable', details: { code: 'registry_unavailable' } })
  expect(waiting.body.error.message).toMatch(/name the image by its digest/)
  const now = await roll({ image: image('6.0.0') })
  expect([now.status, now.body.error.code]).toEqual([503, 'registry_unavailable'])
  expect(actions).toHaveLength(started)
  expect((await roll({ image: other, operationId: operationId() })).body).toMatchObject({ ok: true, image: other })
})

test('without a registry, a tag is refused at once with what to do', async () => {
  const alone = await startControlPlane({
    environment: {
      OPERATOR_ORG: operatorOrg,
      IMAGE_REGISTRY_URL: 'none',
      DAEMON_IMAGE_REPOSITORY: 'registry.example.net/svcd',
      DEFAULT_DAEMON_IMAGE: `registry.example.net/svcd@sha256:${'0'.repeat(64)}`,
    },
  })
  try {
    const person = await systemAdmin(alone)
    const body = { confirmation: orgId, image: 'registry.example.net/svcd:1.0.0' }
    const { error } = (await person.post(`/api/admin/managed-daemons/${orgId}/image`, body)).body
    expect(error).toMatchObject({ code: 'image_not_allowed', details: { reason: 'DigestRequired' } })
    expect(error.message).toMatch(/^Name the image by its digest/)
  } finally {
    await alone.stop()
  }
})
