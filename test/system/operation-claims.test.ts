import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { createLog } from '@svc/shared/kit/log.ts'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { holdExecutorLock } from '../../control-plane/src/operations/executor-lock.ts'
import { lifecycleEventsRepository } from '../../control-plane/src/operations/lifecycle-events.repository.ts'
import { FencedOff, type OperationRecord, type OperationRequest } from '../../control-plane/src/operations/operation.ts'
import { operationsListRepository } from '../../control-plane/src/operations/operations-list.repository.ts'
import { operationsRepository } from '../../control-plane/src/operations/operations.repository.ts'
import { verifies } from '../requirements.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'

const log = createLog({ service: 'test', level: 'fatal' })
const actor = { kind: 'user', id: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa' } as const

let database: TestDatabase
let connection: ReturnType<typeof openDatabase>
let offset = 0
const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + offset) }

beforeAll(async () => {
  database = await createTestDatabase()
  connection = openDatabase({ url: database.url, log, max: 20 })
})
afterAll(async () => {
  await connection.close()
  await database.drop()
})
beforeEach(() => (offset = 0))

const parts = () => ({
  repository: operationsRepository(connection.db, clock),
  lists: operationsListRepository(connection.db, clock),
  events: lifecycleEventsRepository(connection.db, clock),
})

let counter = 0
const requestFor = (orgId: string, change: Partial<OperationRequest> = {}): OperationRequest => ({
  operationId: `operation-${++counter}`,
  action: 'image_roll',
  orgId,
  actor,
  reason: 'new release',
  input: { image: 'registry.example.net/svcd:1' },
  ...change,
})

async function executing(orgId: string, executor = 'dead:boot') {
  const { repository } = parts()
  const record = (await repository.register(requestFor(orgId))) as OperationRecord
  const owner = `${executor}:${newId('')}`
  const taken = await repository.claim(record, { owner, executor })
  return { record, owner, taken: taken! }
}

describe('registration', () => {
  test('of twenty operations at once, one organization takes one', async () => {
    verifies('operation.one-per-organization')
    const { repository } = parts()
    const orgId = newId(idPrefixes.organization)
    const taken = await Promise.all(Array.from({ length: 20 }, () => repository.register(requestFor(orgId))))
    expect(taken.filter(Boolean)).toHaveLength(1)
  })

  test('twenty simultaneous requests with one id are recorded once', async () => {
    const { repository } = parts()
    const request = requestFor(newId(idPrefixes.organization))
    const taken = await Promise.all(Array.from({ length: 20 }, () => repository.register(request)))
    expect(taken.filter(Boolean)).toHaveLength(1)
  })
})

describe('claims', () => {
  test('twenty executors at once: one gets the claim, also when they come after its end', async () => {
    const { repository } = parts()
    for (let round = 0; round < 20; round++) {
      const record = (await repository.register(requestFor(newId(idPrefixes.organization))))!
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, async (_unused, index) => {
          const taken = await repository.claim(record, { owner: `${record.operationId}:${index}`, executor: 'a:1' })
          if (taken) await repository.recordOutcome(record, taken.epoch, { state: 'succeeded', answer: '{}' })
          return taken
        }),
      )
      expect(outcomes.filter(Boolean)).toHaveLength(1)
    }
    const left = await sql`select 1 from operation_claims where executor = 'a:1'`.execute(connection.db)
    expect(left.rows).toHaveLength(0)
  })

  test('the epoch of an organization never falls, also after its claim is gone', async () => {
    verifies('operation.epoch')
    const { repository } = parts()
    const orgId = newId(idPrefixes.organization)
    const epochs: number[] = []
    for (let round = 0; round < 5; round++) {
      const { record, taken } = await executing(orgId)
      epochs.push(taken.epoch)
      await repository.recordOutcome(record, taken.epoch, { state: 'retryable', failure: { code: 'daemon_offline' } })
    }
    expect(epochs).toEqual(epochs.toSorted((a, b) => a - b))
    expect(new Set(epochs).size).toBe(5)
  })

  test('a failure is listed with what the cluster said, until the operation is opened again', async () => {
    const { repository, lists } = parts()
    const orgId = newId(idPrefixes.organization)
    const { record, taken } = await executing(orgId)
    const failure = { code: 'operation_retryable', reason: 'StoreNotReady', message: 'cannot patch resource' }
    await repository.recordOutcome(record, taken.epoch, { state: 'retryable', failure })
    expect(await lists.listMutations(orgId, 10, undefined)).toMatchObject([{ failure }])
    expect(await repository.find(record.operationId)).toMatchObject({ failure })

    expect(await repository.reopen(record)).toBe(true)
    expect((await lists.listMutations(orgId, 10, undefined))[0]?.failure).toBeUndefined()
  })

  test('a failure that a replica of the release before recorded is not listed with an earlier message', async () => {
    const { repository, lists } = parts()
    const orgId = newId(idPrefixes.organization)
    const { record, taken } = await executing(orgId)
    const failure = { code: 'operation_retryable', reason: 'StoreNotReady', message: 'cannot patch resource' }
    await repository.recordOutcome(record, taken.epoch, { state: 'retryable', failure })

    const { operationId } = record
    await sql`
      update operations set state = 'requested', failure_code = null, failure_reason = null
      where operation_id = ${operationId}`.execute(connection.db)
    const again = (await repository.claim(record, { owner: 'b:2:3', executor: 'b:2' }))!
    await sql`delete from operation_claims where epoch = ${again.epoch}`.execute(connection.db)
    await sql`
      update operations set state = 'retryable', failure_code = 'daemon_offline', failure_reason = null
      where operation_id = ${operationId}`.execute(connection.db)
    expect((await lists.listMutations(orgId, 10, undefined))[0]?.failure).toEqual({ code: 'daemon_offline' })
  })

  test('carries a timestamp ten minutes ahead, for diagnosis only', async () => {
    verifies('claim.timestamp')
    const { lists } = parts()
    const orgId = newId(idPrefixes.organization)
    await executing(orgId)
    const claim = (await lists.findClaim(orgId))!
    expect(Date.parse(claim.expiresAt) - Date.parse(claim.claimedAt)).toBe(600_000)
    expect(claim).toMatchObject({ expired: false, executorAlive: false })
  })

  test('is never taken over, however old it is', async () => {
    verifies('claim.never-stolen')
    const { repository } = parts()
    const orgId = newId(idPrefixes.organization)
    const { record } = await executing(orgId)
    offset = 24 * 3_600_000
    expect(await repository.claim(record, { owner: 'thief:boot:1', executor: 'thief:boot' })).toBeUndefined()
    expect(await repository.register(requestFor(orgId))).toBeUndefined()
    expect(await repository.reopen(record)).toBe(false)
  })
})

describe('recovery', () => {
  const after = 600_001

  test.each<[string, object, number]>([
    ['before ten minutes', {}, 599_000],
    ['with another owner', { expectedOwner: 'somebody:else:1' }, after],
    ['with another action', { action: 'key_rotation' }, after],
    ['for another organization', { orgId: newId(idPrefixes.organization) }, after],
  ])('is refused %s', async (_name, change, later) => {
    verifies('claim.recovery')
    const { repository } = parts()
    const orgId = newId(idPrefixes.organization)
    const { record, owner } = await executing(orgId)
    offset = later
    const request = { orgId, action: 'image_roll' as const, expectedOwner: owner, actor, ...change }
    expect(await repository.recover(request)).toBeUndefined()
    expect((await repository.find(record.operationId))?.state).toBe('executing')
  })

  test('is refused while the executor holds its lock, and frees the claim once it is gone', async () => {
    verifies('claim.executor-alive')
    const { repository, lists } = parts()
    const orgId = newId(idPrefixes.organization)
    const executor = `replica:${newId('')}`
    const held = await holdExecutorLock({
      databaseUrl: database.url,
      executor,
      clock: systemClock,
      log,
      random: () => 0,
    })
    const { record, owner } = await executing(orgId, executor)
    offset = after
    const request = { orgId, action: 'image_roll' as const, expectedOwner: owner, actor }
    expect((await lists.findClaim(orgId))?.executorAlive).toBe(true)
    expect(await repository.recover(request)).toBeUndefined()

    await held.release()
    await expect.poll(async () => (await lists.findClaim(orgId))?.executorAlive).toBe(false)
    expect(await repository.recover(request)).toBe(record.operationId)
    expect((await repository.find(record.operationId))?.state).toBe('retryable')
    expect(await repository.recover(request)).toBeUndefined()
  })

  test('fences the old executor off: its effects, its events and its outcome are refused', async () => {
    verifies('claim.fenced')
    const { repository, events } = parts()
    const orgId = newId(idPrefixes.organization)
    const { record, owner, taken } = await executing(orgId)
    const event = { orgId, kind: 'image_roll_started', operationId: record.operationId, epoch: taken.epoch } as const
    await events.insertFenced(event)

    offset = after
    await repository.recover({ orgId, action: 'image_roll', expectedOwner: owner, actor })
    await expect(events.insertFenced(event)).rejects.toThrow(FencedOff)
    expect(await repository.recordOutcome(record, taken.epoch, { state: 'succeeded', answer: '{}' })).toBe(false)

    expect(await repository.reopen(record)).toBe(true)
    const again = (await repository.claim(record, { owner: 'b:2:1', executor: 'b:2' }))!
    expect(again).toMatchObject({ previousEpoch: taken.epoch })
    expect(again.epoch).toBeGreaterThan(taken.epoch)
    await expect(events.insertFenced(event)).rejects.toThrow(FencedOff)
    await events.insertFenced({ ...event, epoch: again.epoch })
    expect((await events.list(orgId, 10, undefined)).map(({ kind }) => kind)).toEqual(['image_roll_started'])
  })

  test('of twenty recoveries at once one frees the claim', async () => {
    const { repository } = parts()
    const orgId = newId(idPrefixes.organization)
    const { owner } = await executing(orgId)
    offset = after
    const request = { orgId, action: 'image_roll' as const, expectedOwner: owner, actor }
    const freed = await Promise.all(Array.from({ length: 20 }, () => repository.recover(request)))
    expect(freed.filter(Boolean)).toHaveLength(1)
  })
})

test('every transition leaves one audit row of its organization, with its actor', async () => {
  verifies('audit.operations')
  const { repository } = parts()
  const orgId = newId(idPrefixes.organization)
  const { record, owner } = await executing(orgId)
  offset = 600_001
  await repository.recover({ orgId, action: 'image_roll', expectedOwner: owner, actor: { kind: 'user', id: 'usr_b' } })
  await repository.reopen(record)
  const again = (await repository.claim(record, { owner: 'b:2:2', executor: 'b:2' }))!
  await repository.recordOutcome(record, again.epoch, { state: 'succeeded', answer: '{"ok":true}' })

  const rows = await connection.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('chain', '=', orgId)
    .orderBy('seq')
    .execute()
  const records = rows.map((row) => JSON.parse(row.record) as { event: string; actor: { id: string } })
  expect(records.map(({ event, actor: who }) => `${event} ${who.id === actor.id ? 'actor' : who.id}`)).toEqual([
    'operation.requested actor',
    'operation.executing actor',
    'operation.recovered usr_b',
    'operation.requested actor',
    'operation.executing actor',
    'operation.succeeded actor',
  ])
  const about = { operationId: record.operationId, action: 'image_roll', orgId }
  expect(records).toMatchObject(records.map(() => about))
})
