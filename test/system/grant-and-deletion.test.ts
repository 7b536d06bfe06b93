import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { entitlementsRepository } from '../../control-plane/src/managed-daemons/entitlements.repository.ts'
import { createFencedTransaction } from '../../control-plane/src/operations/fenced-transaction.repository.ts'
import type { OperationRequest } from '../../control-plane/src/operations/operation.ts'
import { operationsRepository } from '../../control-plane/src/operations/operations.repository.ts'
import { verifies } from '../requirements.ts'
import { changeSpec } from '../support/change-spec.ts'
import { hostedOperations } from '../support/hosted-operations.ts'
import { FIRST_IMAGE, hostedWorld, type HostedWorld } from '../support/hosted-world.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const actor = { kind: 'user', id: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa' } as const
const MINUTE = 60_000
let later = 0
const clock: Clock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + later) }

let database: TestDatabase
let world: HostedWorld
let operations: ReturnType<typeof hostedOperations>
beforeAll(async () => {
  database = await createTestDatabase()
  world = await hostedWorld({ url: database.url, clock })
  operations = hostedOperations({ ...world, clock, executor: 'living:boot' })
})
beforeEach(() => (later = 0))
afterAll(async () => {
  operations.close()
  await world.close()
  await database.drop()
})

const requestFor = (orgId: string, action: 'comped_grant' | 'deletion'): OperationRequest => ({
  operationId: `${action}-${newId('')}`,
  action,
  orgId,
  actor,
  reason: 'a test',
  input: {},
})
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: unknown) => (isFailure(error) ? error.code : String(error)),
  )
const remove = (orgId: string) => codeOf(operations.run(requestFor(orgId, 'deletion')))
const isThere = async (orgId: string) =>
  (await world.db.selectFrom('organization').select('id').where('id', '=', orgId).executeTakeFirst()) !== undefined

/** A grant whose executor holds its claim and then does nothing. */
async function executingGrant() {
  const { orgId } = await world.createOrganization()
  const repository = operationsRepository(world.db, clock)
  const request = requestFor(orgId, 'comped_grant')
  const record = (await repository.register(request))!
  const owner = `dead:boot:${newId('')}`
  const { epoch } = (await repository.claim(record, { owner, executor: 'dead:boot' }))!
  return { orgId, request, record, owner, epoch, repository }
}
type Executing = Awaited<ReturnType<typeof executingGrant>>

/** The one transaction of a grant: its entitlement and the provisioning lease. */
const installLease = ({ orgId, request: { operationId }, epoch }: Executing) =>
  createFencedTransaction(world.db)({ operationId, epoch }, async (trx) => {
    const grant = { orgId, operationId, epoch, image: FIRST_IMAGE, action: 'comped_grant' as const }
    await entitlementsRepository(world.db, clock).insertComped(trx, grant)
    await world.daemons.insertLease(trx, grant)
  })

test('a deletion whose teardown takes longer than its execution is recorded when it ends', async () => {
  verifies('operation.reconciled')
  const { orgId } = await world.createOrganization()
  const impatient = hostedOperations({ ...world, clock, executor: 'living:boot', timeoutMs: 0 })
  const granted = requestFor(orgId, 'comped_grant')
  await operations.run(granted)
  await world.until(orgId, (daemon) => daemon?.status.observedState === 'running')
  const name = managedDaemonName(orgId)
  // The operator leaves a paused resource alone, so it does not go yet.
  await changeSpec(world.store, name, { paused: true })

  const request = requestFor(orgId, 'deletion')
  expect(await codeOf(impatient.run(request))).toBe('operation_retryable')
  impatient.close()
  await operations.sweep()
  expect((await operations.find(request.operationId))?.state).toBe('retryable')
  await world.until(orgId, (daemon) => daemon?.deletedAt !== undefined)
  await changeSpec(world.store, name, { paused: false })
  await world.until(orgId, (daemon) => daemon === undefined)

  await until('the record', async () => {
    await operations.sweep()
    return (await operations.find(request.operationId))?.state === 'succeeded'
  })
  const events = await operations.events.list(orgId, 100, undefined)
  expect(events.map(({ kind }) => kind)).toContain('deleted')
  expect(await isThere(orgId)).toBe(false)
})

test('before the lease, a grant blocks the deletion as long as its claim stands, however old that is', async () => {
  verifies('claim.grant-blocks', 'claim.never-stolen')
  const { orgId, owner } = await executingGrant()
  expect(await remove(orgId)).toBe('organization_busy')
  later = 24 * 60 * MINUTE
  await operations.sweep()
  expect(await remove(orgId)).toBe('organization_busy')
  expect(await isThere(orgId)).toBe(true)

  await operations.recover({ orgId, action: 'comped_grant', expectedOwner: owner, actor })
  expect(await remove(orgId)).toBe('ok')
  expect(await isThere(orgId)).toBe(false)
})

test('after the lease, the deletion waits for the end of the execution', async () => {
  verifies('claim.grant-blocks')
  const grant = await executingGrant()
  await installLease(grant)
  expect(await remove(grant.orgId)).toBe('organization_busy')
  const answer = '{"ok":true}'
  expect(await grant.repository.recordOutcome(grant.record, grant.epoch, { state: 'succeeded', answer })).toBe(true)
  expect(await remove(grant.orgId)).toBe('ok')
  expect(await isThere(grant.orgId)).toBe(false)
})

test('after the lease, a grant whose executor died is ended by the sweep, and blocks no longer', async () => {
  verifies('claim.grant-blocks', 'operation.reconciled')
  const grant = await executingGrant()
  await installLease(grant)
  later = MINUTE
  await operations.sweep()
  expect((await operations.find(grant.request.operationId))?.state).toBe('succeeded')
  expect(await remove(grant.orgId)).toBe('ok')
  expect(await isThere(grant.orgId)).toBe(false)
})

test.each(['failed', 'retryable'] as const)('a grant that is %s does not block the deletion', async (state) => {
  verifies('claim.grant-blocks')
  const { orgId, record, epoch, repository } = await executingGrant()
  expect(await remove(orgId)).toBe('organization_busy')
  await repository.recordOutcome(record, epoch, { state, failure: { code: 'operation_failed' } })
  expect(await remove(orgId)).toBe('ok')
  expect(await isThere(orgId)).toBe(false)
})

test('a lease that comes too late for its claim is refused, so the deletion leaves nothing behind', async () => {
  verifies('claim.fenced')
  const grant = await executingGrant()
  later = 11 * MINUTE
  const { orgId, owner } = grant
  await operations.recover({ orgId, action: 'comped_grant', expectedOwner: owner, actor })
  expect(await remove(orgId)).toBe('ok')
  await expect(installLease(grant)).rejects.toThrow()
  const left = await world.db.selectFrom('entitlements').select('org_id').where('org_id', '=', orgId).execute()
  expect(left).toEqual([])
})
