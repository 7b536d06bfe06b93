import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { RolloutSettings } from '@svc/shared/wire/admin/rollouts.api.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import { verifies } from '../requirements.ts'
import { createAdvanceRollout } from '../../control-plane/src/rollouts/advance-rollout.ts'
import { rolloutMembersRepository } from '../../control-plane/src/rollouts/rollout-members.repository.ts'
import { rolloutsRepository } from '../../control-plane/src/rollouts/rollouts.repository.ts'
import { createRollouts, type Rollouts } from '../../control-plane/src/rollouts/rollouts.domain.ts'
import { changeSpec } from '../support/change-spec.ts'
import { hostedOperations } from '../support/hosted-operations.ts'
import { hostedWorld, IMAGES, runningOrganization, type HostedWorld } from '../support/hosted-world.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const actor = { kind: 'user', id: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa' } as const
const image = (digit: string) => `${IMAGES}@sha256:${digit.repeat(64)}`
const asked = { actor, reason: 'a test' }

let database: TestDatabase
let world: HostedWorld
let operations: ReturnType<typeof hostedOperations>
let dependencies: Parameters<typeof createRollouts>[0]
let rollouts: Rollouts
const bad = new Set<string>()
let now: Date | undefined
/** Daemons answer queries when this has resolved. */
let answering = Promise.resolve()
const clock: Clock = { ...systemClock, now: () => now ?? new Date() }
const organizations: string[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  world = await hostedWorld({ url: database.url, isBad: ({ spec }, wanted) => bad.has(`${spec.orgId} ${wanted}`) })
  operations = hostedOperations({
    ...world,
    executor: 'test:1',
    readStorage: async () => {
      await answering
      return { usedBytes: 4096, freeBytes: 1_000_000 }
    },
  })
  dependencies = {
    ...world,
    clock,
    run: operations.run,
    findOperation: operations.find,
    wake: async () => {},
    resolveImage: async (image) => image,
  }
  rollouts = createRollouts(dependencies)
  for (let count = 0; count < 8; count++) organizations.push((await runningOrganization(world)).orgId)
})
afterAll(async () => {
  operations.close()
  await world.close()
  await database.drop()
})

const never = new AbortController().signal
const create = (operationId: string, wanted: string, settings: object = {}) =>
  rollouts.create({
    ...asked,
    operationId,
    image: wanted,
    settings: RolloutSettings.parse({ soakSeconds: 0, concurrency: 4, ...settings }),
  })

/** Advances a rollout as the worker does, until it waits for something other than rolls. */
async function advance(id: string) {
  await until('the rollout comes to rest', async () => {
    const again = await rollouts.handlers['advance-rollout'](id, never)
    const { counts } = await rollouts.find(id)
    return counts.rolling + counts.stalled === 0 && (again === undefined || again.againInMs > 0)
  })
  return rollouts.find(id)
}
const imageOf = async (orgId: string) => (await world.store.find(managedDaemonName(orgId)))?.status.image
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (error: unknown) => (isFailure(error) ? error.code : String(error)),
  )
const sleep = async (orgId: string) => {
  await changeSpec(world.store, managedDaemonName(orgId), { desiredState: 'sleeping' })
  await world.until(orgId, (found) => found?.status.observedState === 'sleeping')
}

test('rolls the fleet in waves; a sleeper blocks nobody and rolls with its next wake', async () => {
  verifies('rollout.waves', 'rollout.sleepers')
  const sleeper = organizations[3]!
  await sleep(sleeper)
  const { id } = await create('rollout-one-1', image('2'), { shares: [50, 100] })
  expect(await codeOf(create('rollout-two-2', image('3')))).toBe('rollout_conflict')
  expect((await create('rollout-one-1', image('2'), { shares: [50, 100] })).id).toBe(id)
  expect(await codeOf(create('rollout-one-1', image('3'), { shares: [50, 100] }))).toBe('operation_conflict')

  const done = await advance(id)
  expect(done).toMatchObject({ state: 'succeeded', counts: { total: 8, succeeded: 7, deferred: 1, failed: 0 } })
  expect(done.waves.map(({ total }) => total)).toEqual([1, 3, 4])
  expect(await imageOf(sleeper)).not.toBe(image('2'))

  expect(await rollouts.rollAtWake(organizations[0]!)).toBe(false)
  expect(await rollouts.rollAtWake(sleeper)).toBe(true)
  expect(await rollouts.rollAtWake(sleeper)).toBe(false)
  await world.until(sleeper, (found) => found?.status.observedState === 'running' && found.status.image === image('2'))
  expect(await advance(id)).toMatchObject({ counts: { succeeded: 8, deferred: 0 } })
  expect((await operations.listMutations(sleeper, 10, undefined)).map(({ state }) => state)).toEqual(['succeeded'])
})

test('pauses, resumes and aborts; each is audited with its actor', async () => {
  verifies('rollout.controls')
  const { id } = await create('rollout-abort-1', image('4'))
  await rollouts.pause(id, asked)
  await rollouts.pause(id, asked)
  expect(await advance(id)).toMatchObject({ state: 'paused', counts: { pending: 8 } })
  await rollouts.resume(id, asked)
  await rollouts.abort(id, asked)
  expect(await advance(id)).toMatchObject({ state: 'aborted', counts: { pending: 0, skipped: 8 } })
  expect(await codeOf(rollouts.resume(id, asked))).toBe('rollout_conflict')
  expect(await codeOf(rollouts.pause('rol_aaaaaaaaaaaaaaaaaaaaaaaa', asked))).toBe('not_found')

  const rows = await world.db
    .selectFrom('audit_entries')
    .select('record')
    .where('chain', '=', 'platform')
    .orderBy('seq')
    .execute()
  const records = rows.map(({ record }) => JSON.parse(record) as { event: string; rolloutId: string })
  expect(records.filter(({ rolloutId }) => rolloutId === id).map(({ event }) => event)).toEqual([
    'rollout.created',
    'rollout.paused',
    'rollout.running',
    'rollout.aborted',
  ])
})

test('stops when the failure budget is spent, and goes on only when an admin says so', async () => {
  verifies('rollout.budget')
  for (const orgId of organizations) bad.add(`${orgId} ${image('5')}`)
  const { id } = await create('rollout-stops-1', image('5'), { failureBudget: 1, shares: [25, 100], concurrency: 1 })
  const stopped = await advance(id)
  expect(stopped).toMatchObject({
    state: 'stopped',
    stateReason: 'FailureBudgetSpent',
    counts: { failed: 2, pending: 6 },
  })
  expect(stopped.problems).toHaveLength(2)
  for (const { orgId } of stopped.problems) expect(await imageOf(orgId)).toBe(image('2'))

  bad.clear()
  await rollouts.resume(id, { ...asked, failureBudget: 0 })
  expect(await advance(id)).toMatchObject({ state: 'succeeded', counts: { failed: 2, succeeded: 6 } })
})

test('with quiet hours it waits for them, and wakes sleepers within', async () => {
  const sleeper = organizations[5]!
  await sleep(sleeper)
  now = new Date('2026-06-01T12:00:00Z')
  const { id } = await create('rollout-quiet-1', image('6'), { quietHours: { from: '22:00', to: '05:00' } })
  expect(await rollouts.handlers['advance-rollout'](id, never)).toEqual({ againInMs: 36_000_000 })
  expect(await rollouts.find(id)).toMatchObject({ counts: { pending: 8 } })

  now = new Date('2026-06-01T23:00:00Z')
  const done = await advance(id)
  expect(done).toMatchObject({ state: 'succeeded', counts: { succeeded: 8, deferred: 0 } })
  expect(await imageOf(sleeper)).toBe(image('6'))
  now = undefined
})

test('a member whose organization is busy keeps its place', async () => {
  const busy = organizations[1]!
  const asleep = hostedOperations({ ...world, executor: 'test:2', wake: async () => {} })
  const request = { operationId: 'busy-storage-1', action: 'storage_check', orgId: busy, ...asked, input: {} } as const
  await asleep.run(request, { waitMs: 0 }).catch(() => {})
  asleep.close()

  const { id } = await create('rollout-busy-1', image('7'), { canary: { count: 1, orgIds: [busy] } })
  await rollouts.handlers['advance-rollout'](id, never)
  expect(await rollouts.find(id)).toMatchObject({
    waves: [{ rolling: 1 }, ...Array.from({ length: 2 }, () => ({ pending: expect.any(Number) }))],
  })
  await operations.run(request)
  expect(await advance(id)).toMatchObject({ state: 'succeeded', counts: { succeeded: 8 } })
})

/** Keeps an organization busy until the returned function has ended that operation. */
async function keepBusy(orgId: string, operationId: string) {
  const idle = hostedOperations({ ...world, executor: `test:${operationId}`, wake: async () => {} })
  const request = { operationId, action: 'storage_check', orgId, ...asked, input: {} } as const
  await idle.run(request, { waitMs: 0 }).catch(() => {})
  idle.close()
  return () => operations.run(request)
}

test('an abort leaves a member alone whose organization was too busy to begin', async () => {
  verifies('rollout.begins')
  const busy = organizations[0]!
  const before = await imageOf(busy)
  const end = await keepBusy(busy, 'busy-abort-1')
  const { id } = await create('rollout-busy-2', image('e'), { canary: { count: 1, orgIds: [busy] } })
  await rollouts.handlers['advance-rollout'](id, never)
  expect(await rollouts.find(id)).toMatchObject({ counts: { rolling: 1, pending: 7 } })
  await rollouts.abort(id, asked)
  await end()
  expect(await advance(id)).toMatchObject({ state: 'aborted', counts: { skipped: 8 } })
  expect(await imageOf(busy)).toBe(before)
})

test('a pause returns such a member to its wave, and the end of the quiet hours too', async () => {
  verifies('rollout.begins')
  const busy = organizations[0]!
  const before = await imageOf(busy)
  const settings = { canary: { count: 1, orgIds: [busy] }, quietHours: { from: '22:00', to: '05:00' } }
  now = new Date('2026-06-01T23:00:00Z')
  const end = await keepBusy(busy, 'busy-pause-1')
  const { id } = await create('rollout-busy-3', image('e'), settings)
  await rollouts.handlers['advance-rollout'](id, never)
  await rollouts.pause(id, asked)
  await end()
  expect(await advance(id)).toMatchObject({ state: 'paused', counts: { pending: 8 } })

  const endAgain = await keepBusy(busy, 'busy-pause-2')
  await rollouts.resume(id, asked)
  await rollouts.handlers['advance-rollout'](id, never)
  expect(await rollouts.find(id)).toMatchObject({ counts: { rolling: 1, pending: 7 } })
  now = new Date('2026-06-02T06:00:00Z')
  await endAgain()
  expect(await advance(id)).toMatchObject({ state: 'running', counts: { pending: 8 } })
  expect(await imageOf(busy)).toBe(before)

  now = new Date('2026-06-02T23:00:00Z')
  expect(await advance(id)).toMatchObject({ state: 'succeeded', counts: { succeeded: 8 } })
  now = undefined
})

test('a newer rollout takes over a member whose organization was too busy for an older one', async () => {
  verifies('rollout.begins')
  const busy = organizations[0]!
  const end = await keepBusy(busy, 'busy-older-1')
  const { id } = await create('rollout-busy-4', image('f'), { canary: { count: 1, orgIds: [busy] } })
  await rollouts.handlers['advance-rollout'](id, never)
  now = new Date(Date.now() + 16 * 60_000)
  await until('the older rollout is over', async () => {
    await rollouts.handlers['advance-rollout'](id, never)
    return (await rollouts.find(id)).state === 'succeeded'
  })
  expect(await rollouts.find(id)).toMatchObject({ counts: { stalled: 1, succeeded: 7 } })
  now = undefined

  const next = await create('rollout-busy-5', image('0'))
  await end()
  expect(await advance(id)).toMatchObject({ counts: { stalled: 0, skipped: 1 } })
  expect(await advance(next.id)).toMatchObject({ state: 'succeeded', counts: { succeeded: 8 } })
  expect(await imageOf(busy)).toBe(image('0'))
})

test('a pause that returns while a step is under way lets nobody begin', async () => {
  verifies('rollout.begins')
  const { id } = await create('rollout-midway-1', image('9'))
  const { promise, resolve } = Promise.withResolvers<void>()
  let reading = 0
  const find: HostedWorld['store']['find'] = async (name) => {
    reading++
    await promise
    return world.store.find(name)
  }
  const slow = createRollouts({ ...dependencies, store: { ...world.store, find } })
  const step = slow.handlers['advance-rollout'](id, never)
  await until('the step is under way', async () => reading > 0)
  await rollouts.pause(id, asked)
  resolve()
  await step
  expect(await rollouts.find(id)).toMatchObject({ state: 'paused', counts: { pending: 8 } })
  await rollouts.abort(id, asked)
})

test('workers that advance a rollout at once begin no more members than may roll at once', async () => {
  verifies('rollout.waves')
  const ends = await Promise.all(organizations.map((orgId, index) => keepBusy(orgId, `busy-workers-${index}`)))
  const { id } = await create('rollout-workers-1', image('9'), { canary: { count: 8 }, concurrency: 2 })
  const members = rolloutMembersRepository(world.db, clock)
  const { promise, resolve } = Promise.withResolvers<void>()
  let counted = false
  const list: typeof members.list = async (...wanted) => {
    counted = true
    await promise
    return members.list(...wanted)
  }
  const repositories = { rollouts: rolloutsRepository(world.db, clock), members: { ...members, list } }
  const slowly = createAdvanceRollout({ ...dependencies, ...repositories })(id, never)
  await until('the first worker has counted who rolls', async () => counted)
  await rollouts.handlers['advance-rollout'](id, never)
  resolve()
  await slowly
  expect(await rollouts.find(id)).toMatchObject({ counts: { rolling: 2, pending: 6 } })
  await rollouts.abort(id, asked)
  for (const end of ends) await end()
})

test('a sleeper that an admin has rolled alone since is not rolled back by its wake', async () => {
  verifies('rollout.superseded')
  const sleeper = organizations[2]!
  await sleep(sleeper)
  const { id } = await create('rollout-older-1', image('8'))
  expect(await advance(id)).toMatchObject({ state: 'succeeded', counts: { succeeded: 7, deferred: 1 } })
  const alone = { action: 'image_roll', orgId: sleeper, ...asked, input: { image: image('9') } } as const
  await operations.run({ ...alone, operationId: 'roll-alone-1' })
  await sleep(sleeper)

  expect(await rollouts.rollAtWake(sleeper)).toBe(false)
  expect(await rollouts.find(id)).toMatchObject({ counts: { deferred: 0, skipped: 1 } })
  expect(await imageOf(sleeper)).toBe(image('9'))
  await changeSpec(world.store, managedDaemonName(sleeper), { desiredState: 'running' })
  await world.until(sleeper, (found) => found?.status.observedState === 'running')
})

test('nor is one that was rolled alone while the rollout was paused, or while it waited for that', async () => {
  verifies('rollout.superseded')
  const [fixed, busy] = [organizations[4]!, organizations[6]!]
  const { id } = await create('rollout-paused-1', image('a'), { canary: { count: 1, orgIds: [busy] } })
  await rollouts.pause(id, asked)
  const alone = (orgId: string, operationId: string) =>
    ({ action: 'image_roll', orgId, operationId, ...asked, input: { image: image('b') } }) as const
  await operations.run(alone(fixed, 'roll-alone-2'))
  const idle = hostedOperations({ ...world, executor: 'test:3', wake: async () => {} })
  await idle.run(alone(busy, 'roll-alone-3'), { waitMs: 0 }).catch(() => {})
  idle.close()
  await rollouts.resume(id, asked)

  const [done] = await Promise.all([advance(id), operations.run(alone(busy, 'roll-alone-3'))])
  expect(done).toMatchObject({ state: 'succeeded', counts: { skipped: 2, failed: 0 } })
  for (const orgId of [fixed, busy]) expect(await imageOf(orgId)).toBe(image('b'))
})

test('a late failure of a rollout that is over leaves it over while the next one is open', async () => {
  verifies('rollout.budget')
  const sleeper = organizations[7]!
  await sleep(sleeper)
  const { id } = await create('rollout-late-1', image('c'), { failureBudget: 0 })
  expect(await advance(id)).toMatchObject({ state: 'succeeded', counts: { deferred: 1, failed: 0 } })
  bad.add(`${sleeper} ${image('c')}`)
  expect(await rollouts.rollAtWake(sleeper)).toBe(true)
  const next = await create('rollout-next-1', image('d'))
  expect(await advance(id)).toMatchObject({ state: 'succeeded', counts: { deferred: 0, failed: 1 } })
  await rollouts.abort(next.id, asked)
  bad.clear()
})

test('an operation that wakes a sleeper is followed by the roll that was deferred', async () => {
  verifies('rollout.sleepers')
  const sleeper = organizations[2]!
  await sleep(sleeper)
  const { id } = await create('rollout-woken-1', image('a'))
  expect(await advance(id)).toMatchObject({ state: 'succeeded', counts: { succeeded: 7, deferred: 1 } })

  const { promise, resolve } = Promise.withResolvers<void>()
  answering = promise
  const check = { ...asked, operationId: 'check-woken-1', action: 'storage_check', orgId: sleeper, input: {} } as const
  const checking = operations.run(check)
  await world.until(sleeper, (found) => found?.status.observedState === 'running')
  expect(await rollouts.rollAtWake(sleeper), 'the check is in the way').toBe(false)
  await rollouts.onOperationEnded(check.operationId)
  expect(await rollouts.find(id), 'the check has not ended').toMatchObject({ counts: { deferred: 1, rolling: 0 } })

  resolve()
  await checking
  await rollouts.onOperationEnded(check.operationId)
  await world.until(sleeper, (found) => found?.status.image === image('a'))
  expect(await advance(id)).toMatchObject({ counts: { succeeded: 8, deferred: 0 } })
})

test('the end of an operation wakes no sleeper', async () => {
  const sleeper = organizations[2]!
  await operations.run({ ...asked, operationId: 'check-asleep-1', action: 'storage_check', orgId: sleeper, input: {} })
  await sleep(sleeper)
  const { id } = await create('rollout-asleep-1', image('b'))
  await advance(id)
  await rollouts.onOperationEnded('check-asleep-1')
  expect(await rollouts.find(id)).toMatchObject({ counts: { deferred: 1, rolling: 0 } })
  expect(await rollouts.rollAtWake(sleeper)).toBe(true)
  expect(await advance(id)).toMatchObject({ counts: { succeeded: 8, deferred: 0 } })
})
