import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { OperationAction } from '@svc/shared/wire/admin/admin.api.ts'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import type { OperationInput, OperationRequest } from '../../control-plane/src/operations/operation.ts'
import { ledgerRepository } from '../../control-plane/src/billing/ledger.repository.ts'
import { createLedgerBilling } from '../../control-plane/src/billing/billing.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import type { ManagedDaemonStore, SpecPatch } from '@svc/shared/wire/managed-daemon-store.ts'
import { verifies } from '../requirements.ts'
import { changeSpec } from '../support/change-spec.ts'
import { FIRST_IMAGE, hostedWorld, IMAGES, runningOrganization, type HostedWorld } from '../support/hosted-world.ts'
import { hostedOperations } from '../support/hosted-operations.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const actor = { kind: 'user', id: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa' } as const
const image = (digit: string) => `${IMAGES}@sha256:${digit.repeat(64)}`
const BAD = image('b')

let database: TestDatabase
let world: HostedWorld
let operations: ReturnType<typeof hostedOperations>

beforeAll(async () => {
  database = await createTestDatabase()
  world = await hostedWorld({ url: database.url, isBad: (_daemon, wanted) => wanted === BAD })
  operations = hostedOperations({ ...world, executor: 'test:1' })
})
afterAll(async () => {
  operations.close()
  await world.close()
  await database.drop()
})

let counter = 0
const requestFor = (orgId: string, action: OperationAction, input: OperationInput = {}): OperationRequest => ({
  operationId: `effect-${++counter}-${action}`,
  action,
  orgId,
  actor,
  reason: 'a test',
  input,
})
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (error: unknown) => (isFailure(error) ? error.code : String(error)),
  )
const change = (name: string, patch: SpecPatch) => changeSpec(world.store, name, patch)
const kinds = async (orgId: string) => (await world.events.list(orgId, 50, undefined)).map(({ kind }) => kind)

describe('image roll', () => {
  test('keeps everything but image and key, reaches running, and is answered again byte for byte', async () => {
    verifies('admin.image-roll', 'hosted.reaches-running', 'operation.success-replayed')
    const { orgId, daemon } = await runningOrganization(world)
    const request = requestFor(orgId, 'image_roll', { image: image('2') })
    const first = await operations.run(request)
    expect(JSON.parse(first)).toMatchObject({ ok: true, orgId, image: image('2'), observedState: 'running' })

    const after = (await world.store.find(managedDaemonName(orgId)))!
    const { image: _image, operation: _operation, relay, ...kept } = daemon.spec
    expect(after.spec).toMatchObject(kept)
    expect(after.spec.relay).toEqual({ ...relay, keyGeneration: 2, acceptedGeneration: 2 })
    expect(after.status.provider).toEqual(daemon.status.provider)
    expect(after.status).toMatchObject({ image: image('2'), observedState: 'running' })

    const again = await Promise.all(Array.from({ length: 5 }, () => operations.run(request)))
    expect(new Set([first, ...again]).size).toBe(1)
    expect((await world.store.find(managedDaemonName(orgId)))!.spec).toEqual(after.spec)
    expect(await kinds(orgId)).toEqual(expect.arrayContaining(['image_roll_started', 'image_rolled', 'key_rotated']))
  })

  test('wakes a sleeping daemon', async () => {
    verifies('admin.image-roll-wakes')
    const { orgId, daemon } = await runningOrganization(world)
    await change(daemon.name, { desiredState: 'sleeping' })
    await world.until(orgId, (found) => found?.status.observedState === 'sleeping')
    await operations.run(requestFor(orgId, 'image_roll', { image: image('3') }))
    expect((await world.store.find(daemon.name))!.status).toMatchObject({ observedState: 'running', image: image('3') })
  })

  test('that does not come up fails for good, and the daemon serves its last good image', async () => {
    verifies('operation.failed')
    const { orgId, daemon } = await runningOrganization(world)
    const request = requestFor(orgId, 'image_roll', { image: BAD })
    const failure = await operations.run(request).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'operation_failed', details: { reason: expect.any(String) } })
    expect(await operations.run(request).catch((error: unknown) => error)).toMatchObject({
      code: 'operation_failed',
      details: (failure as { details: unknown }).details,
    })
    await world.until(orgId, (found) => found?.status.observedState === 'running' && found.status.image === FIRST_IMAGE)
    expect(await kinds(orgId)).toContain('image_roll_failed')
    expect(daemon.spec.image).toBe(FIRST_IMAGE)
  })

  test('the same id with other parameters is a conflict, and another id waits its turn', async () => {
    verifies('operation.bound', 'operation.one-per-organization')
    const { orgId } = await runningOrganization(world)
    const request = requestFor(orgId, 'image_roll', { image: image('4') })
    await operations.run(request)
    expect(await codeOf(operations.run({ ...request, input: { image: image('5') } }))).toBe('operation_conflict')
    expect(await codeOf(operations.run({ ...request, reason: 'another' }))).toBe('operation_conflict')

    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const patchSpec: ManagedDaemonStore['patchSpec'] = async (...patch) => {
      begun.resolve()
      await goOn.promise
      return world.store.patchSpec(...patch)
    }
    const held = hostedOperations({ ...world, store: { ...world.store, patchSpec }, executor: 'test:held' })
    const first = codeOf(held.run(requestFor(orgId, 'image_roll', { image: image('6') })))
    expect(await Promise.race([begun.promise.then(() => 'begun'), first])).toBe('begun')
    const second = requestFor(orgId, 'image_roll', { image: image('7') })
    expect(await codeOf(operations.run(second))).toBe('organization_busy')
    goOn.resolve()
    expect(await first).toBe('ok')
    held.close()
    expect(await codeOf(operations.run(second))).toBe('ok')
  })

  test('of an organization without a daemon fails', async () => {
    const { orgId } = await world.createOrganization()
    const request = requestFor(orgId, 'image_roll', { image: image('2') })
    expect(await operations.run(request).catch((error: unknown) => error)).toMatchObject({
      code: 'operation_failed',
      details: { reason: 'NoManagedDaemon' },
    })
  })

  test('retried after another roll overtook it does not undo that one', async () => {
    const { orgId, daemon } = await runningOrganization(world)
    const hasty = hostedOperations({ ...world, executor: 'test:2', timeoutMs: 0 })
    const slow = requestFor(orgId, 'image_roll', { image: image('8') })
    // The reconciler ignores a paused daemon, so the hasty roll is certain to find it not ready.
    await change(daemon.name, { paused: true })
    expect(await codeOf(hasty.run(slow))).toBe('operation_retryable')
    hasty.close()
    await change(daemon.name, { paused: false })
    await operations.run(requestFor(orgId, 'image_roll', { image: image('9') }))

    expect(await operations.run(slow).catch((error: unknown) => error)).toMatchObject({
      code: 'operation_failed',
      details: { reason: 'Superseded' },
    })
    expect((await world.store.find(daemon.name))!.spec.image).toBe(image('9'))
  })
})

describe('comped grant', () => {
  test('leaves entitlement and lease at once; the daemon comes up', async () => {
    verifies('admin.comped')
    const { orgId } = await world.createOrganization()
    const answer = await operations.run(requestFor(orgId, 'comped_grant'))
    expect(JSON.parse(answer)).toMatchObject({ ok: true, orgId, entitlement: { kind: 'comped' } })
    await world.settle(orgId)
    await world.until(orgId, (found) => found?.status.observedState === 'running')
    expect(await operations.run(requestFor(orgId, 'comped_grant')).catch((error: unknown) => error)).toMatchObject({
      code: 'operation_failed',
      details: { reason: 'AlreadyEntitled' },
    })
  })

  test('under way, it blocks billing reservations and deletion until it ends', async () => {
    verifies('claim.grant-blocks')
    const { orgId } = await world.createOrganization()
    const billing = createLedgerBilling(ledgerRepository(world.db, systemClock))
    const asleep = hostedOperations({ ...world, executor: 'test:3', wake: async () => {} })
    const request = requestFor(orgId, 'comped_grant')
    expect(await codeOf(asleep.run(request, { waitMs: 0 }))).toBe('operation_in_progress')

    const reservation = { orgId, reservationId: `res-${orgId}`, amountMinor: 900, currency: 'EUR' }
    expect(await codeOf(billing.reserve(reservation))).toBe('organization_busy')
    expect(await codeOf(asleep.run(requestFor(orgId, 'deletion'), { waitMs: 0 }))).toBe('organization_busy')
    expect(await asleep.isBusy(orgId)).toBe(true)
    asleep.close()

    await operations.run(request)
    expect(await codeOf(billing.reserve(reservation))).toBe('ok')
    expect(await codeOf(billing.reserve(reservation))).toBe('ok')
    expect(await billing.hasPaymentHistory(orgId)).toBe(true)
    await billing.capture(reservation.reservationId, `pay-${orgId}`)
    expect(await codeOf(billing.capture(reservation.reservationId, 'pay-again'))).toBe('not_found')
    expect(await codeOf(billing.release(reservation.reservationId))).toBe('not_found')
    expect(await billing.hasPaymentHistory(orgId)).toBe(true)
  })
})

describe('storage check', () => {
  test('answers what the daemon says and wakes it when it sleeps', async () => {
    verifies('admin.storage-check', 'storage.check-wakes')
    const { orgId, daemon } = await runningOrganization(world)
    const awake = JSON.parse(await operations.run(requestFor(orgId, 'storage_check'))) as object
    expect(awake).toMatchObject({ woke: false, storage: { usedBytes: 4096, capacityBytes: 1_004_096 } })

    await change(daemon.name, { desiredState: 'sleeping' })
    await world.until(orgId, (found) => found?.status.observedState === 'sleeping')
    expect(JSON.parse(await operations.run(requestFor(orgId, 'storage_check')))).toMatchObject({ woke: true })
    expect((await world.store.find(daemon.name))!.spec.desiredState).toBe('running')
  })

  test('of a daemon that has failed fails with the reason, and waits no longer', async () => {
    const { orgId, daemon } = await runningOrganization(world)
    await change(daemon.name, { desiredState: 'sleeping' })
    await world.until(orgId, (found) => found?.status.observedState === 'sleeping')
    world.loseVolume(daemon.name)
    const request = requestFor(orgId, 'storage_check')
    expect(await operations.run(request).catch((error: unknown) => error)).toMatchObject({
      code: 'operation_failed',
      details: { reason: 'VolumeLost' },
    })
  })

  test('of a daemon that stays offline is retryable with the same id', async () => {
    verifies('operation.retryable')
    const { orgId } = await runningOrganization(world)
    const readStorage = async () => {
      throw fail('daemon_offline')
    }
    const offline = hostedOperations({ ...world, executor: 'test:4', timeoutMs: 0, readStorage })
    const request = requestFor(orgId, 'storage_check')
    expect(await codeOf(offline.run(request))).toBe('operation_retryable')
    offline.close()
    expect(await codeOf(operations.run(request))).toBe('ok')
  })
})

test('key rotation raises the generation once and restarts nothing', async () => {
  const { orgId, daemon } = await runningOrganization(world)
  const actions = () => world.actions.filter(({ name }) => name === daemon.name).length
  const before = actions()
  const answer = JSON.parse(await operations.run(requestFor(orgId, 'key_rotation'))) as object
  expect(answer).toMatchObject({ keyGeneration: 2 })
  expect(actions()).toBe(before)
})

test('a reinstallation leaves a daemon alone whose lost volume comes back before its resource is removed', async () => {
  verifies('operator.volume-lost')
  const { orgId, daemon } = await runningOrganization(world)
  const { name } = daemon
  await change(name, { desiredState: 'sleeping' })
  await world.until(orgId, (found) => found?.status.observedState === 'sleeping')
  const bringBack = world.loseVolume(name)
  await change(name, { desiredState: 'running' })
  await world.until(orgId, (found) => found?.status.observedState === 'failed')

  const remove: ManagedDaemonStore['remove'] = async (...args) => {
    bringBack()
    await change(name, { orgSlug: 'renamed' })
    await world.until(orgId, (found) => found?.status.observedState === 'running')
    return world.store.remove(...args)
  }
  const late = hostedOperations({ ...world, store: { ...world.store, remove }, executor: 'test:5' })
  const refusal = { code: 'operation_failed', details: { reason: 'ResourcePresent' } }
  const ended = await late.run(requestFor(orgId, 'reinstall')).catch((error: unknown) => error)
  late.close()
  expect(ended).toMatchObject(refusal)
  expect(await world.store.find(name)).toMatchObject({ uid: daemon.uid, status: { observedState: 'running' } })
  expect((await world.store.find(name))?.deletedAt).toBeUndefined()
  // Its scheduled backups go on: nothing was reinstalled.
  expect(await kinds(orgId)).not.toContain('reinstall_started')
})

test.each([
  ['may still run', image('5'), image('5')],
  ['is of a repository that is allowed no longer', `old.example.net/svcd@sha256:${'5'.repeat(64)}`, FIRST_IMAGE],
])('a daemon whose last image %s is reinstalled with an image that may run', async (_what, last, wanted) => {
  verifies('operator.resource-lost')
  const { orgId, daemon } = await runningOrganization(world)
  await until('the first image is recorded', async () => (await kinds(orgId)).includes('provisioned'))
  await world.events.insert(orgId, 'image_rolled', { image: last })
  await world.store.remove(daemon.name)
  await world.until(orgId, (found) => found === undefined)
  const answer = JSON.parse(await operations.run(requestFor(orgId, 'reinstall'))) as object
  expect(answer).toMatchObject({ ok: true, image: wanted, observedState: 'running' })
})

test('deletion tears the daemon down and leaves a tombstone', async () => {
  verifies('operation.tombstone')
  const { orgId, daemon } = await runningOrganization(world)
  const request = requestFor(orgId, 'deletion')
  const first = await operations.run(request)
  expect(await world.store.find(daemon.name)).toBeUndefined()
  expect(await operations.run(request)).toBe(first)
  expect(world.actions.filter(({ name, kind }) => name === daemon.name && kind === 'removed')).toHaveLength(1)
  const stone = await world.db.selectFrom('organization_tombstones').selectAll().where('org_id', '=', orgId).execute()
  expect(stone).toMatchObject([{ operation_id: request.operationId }])
})
