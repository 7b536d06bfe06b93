import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import type { OperationAction } from '@svc/shared/wire/admin/admin.api.ts'
import { managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { createAudit } from '../../control-plane/src/audit/audit.domain.ts'
import type { OperationInput, OperationRequest } from '../../control-plane/src/operations/operation.ts'
import { verifies } from '../requirements.ts'
import { changeSpec } from './change-spec.ts'
import { hostedOperations } from './hosted-operations.ts'
import { hostedWorld, IMAGES, runningOrganization, type HostedWorld } from './hosted-world.ts'
import { createTestDatabase, type TestDatabase } from './postgres.ts'

const program = fileURLToPath(new URL('./dying-executor.ts', import.meta.url))
const actor = { kind: 'user', id: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa' } as const
const NEW_IMAGE = `${IMAGES}@sha256:${'2'.repeat(64)}`
const PARALLEL = 3
const MOST_BOUNDARIES = 200

let database: TestDatabase
let world: HostedWorld
let offset = 0
const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + offset) }

type Subject = { orgId: string; daemon?: ManagedDaemon }
type Case = {
  action: OperationAction
  /** Names the case where an action has more than one. */
  of?: string
  input?: OperationInput
  prepare: () => Promise<Subject>
  /** The effect as one value, which is the same if and only if the effect happened exactly once. */
  effect: (subject: Subject) => Promise<unknown>
  once: unknown
  events: string[]
}

const spec = async ({ orgId }: Subject) => (await world.store.find(managedDaemonName(orgId)))?.spec
const asleep = async () => {
  const subject = await runningOrganization(world)
  await changeSpec(world.store, managedDaemonName(subject.orgId), { desiredState: 'sleeping' })
  await world.until(subject.orgId, (found) => found?.status.observedState === 'sleeping')
  return subject
}

const reinstalled = async (subject: Subject) => {
  const found = await world.until(subject.orgId, (daemon) => daemon?.status.observedState === 'running')
  const row = await world.daemons.find(subject.orgId)
  const starts = world.actions.filter(({ name, kind }) => name === found?.name && kind === 'started')
  return {
    another: found?.uid !== subject.daemon?.uid,
    recorded: row?.resource_uid === found?.uid,
    starts: starts.length,
  }
}

const cases: Case[] = [
  {
    action: 'image_roll',
    input: { image: NEW_IMAGE },
    prepare: () => runningOrganization(world),
    effect: async (subject) => {
      const { image, relay, operation } = (await spec(subject))!
      const rolls = world.actions.filter(
        ({ name, kind }) => name === managedDaemonName(subject.orgId) && kind === 'rolled',
      )
      return { image, generation: relay.keyGeneration, action: operation?.action, rolls: rolls.length }
    },
    once: { image: NEW_IMAGE, generation: 2, action: 'image_roll', rolls: 1 },
    events: ['image_roll_started', 'image_rolled', 'key_rotated'],
  },
  {
    action: 'comped_grant',
    prepare: () => world.createOrganization(),
    effect: async ({ orgId }) => {
      const entitlements = await world.db.selectFrom('entitlements').selectAll().where('org_id', '=', orgId).execute()
      const leases = await world.db
        .selectFrom('managed_daemons')
        .select('operation_action')
        .where('organization_id', '=', orgId)
        .execute()
      return { entitlements: entitlements.map(({ kind }) => kind), leases }
    },
    once: { entitlements: ['comped'], leases: [{ operation_action: 'comped_grant' }] },
    events: ['entitled'],
  },
  {
    action: 'storage_check',
    prepare: asleep,
    effect: async (subject) => {
      const { desiredState, relay, operation } = (await spec(subject))!
      return { desiredState, generation: relay.keyGeneration, action: operation?.action }
    },
    once: { desiredState: 'running', generation: 1, action: 'storage_check' },
    events: ['storage_checked', 'wake_requested'],
  },
  {
    action: 'key_rotation',
    prepare: () => runningOrganization(world),
    effect: async (subject) => (await spec(subject))?.relay,
    once: { url: expect.any(String), keyGeneration: 2, acceptedGeneration: 2 },
    events: ['key_rotated', 'key_rotation_started'],
  },
  {
    action: 'storage_grow',
    input: { size: '128Mi' },
    prepare: () => runningOrganization(world),
    effect: async (subject) => (await spec(subject))?.storage.size,
    once: '128Mi',
    events: ['storage_grow_started', 'storage_grown'],
  },
  {
    action: 'sleep',
    prepare: () => runningOrganization(world),
    effect: async (subject) => {
      const stops = world.actions.filter(
        ({ name, kind }) => name === managedDaemonName(subject.orgId) && kind === 'stopped',
      )
      return { desiredState: (await spec(subject))?.desiredState, stops: stops.length }
    },
    once: { desiredState: 'sleeping', stops: 1 },
    events: ['sleep_requested'],
  },
  {
    action: 'reinstall',
    prepare: async () => {
      const subject = await runningOrganization(world)
      await world.store.remove(managedDaemonName(subject.orgId))
      await world.until(subject.orgId, (found) => found === undefined)
      return subject
    },
    effect: reinstalled,
    once: { another: true, recorded: true, starts: 2 },
    events: ['reinstall_started', 'reinstalled'],
  },
  {
    action: 'reinstall',
    of: 'lost-volume',
    prepare: async () => {
      const subject = await asleep()
      const { name, resourceVersion } = (await world.store.find(managedDaemonName(subject.orgId)))!
      world.loseVolume(name)
      await world.store.patchSpec(name, resourceVersion, { desiredState: 'running' })
      await world.until(subject.orgId, (found) => found?.status.observedState === 'failed')
      return subject
    },
    effect: reinstalled,
    once: { another: true, recorded: true, starts: 2 },
    events: ['reinstall_started', 'reinstalled'],
  },
  {
    action: 'deletion',
    prepare: () => runningOrganization(world),
    effect: async (subject) => {
      const removed = world.actions.filter(
        ({ name, kind }) => name === managedDaemonName(subject.orgId) && kind === 'removed',
      )
      const stones = await world.db
        .selectFrom('organization_tombstones')
        .select('daemon_uid')
        .where('org_id', '=', subject.orgId)
        .execute()
      return { resource: await spec(subject), removed: removed.length, stones: stones.length }
    },
    once: { resource: undefined, removed: 1, stones: 1 },
    events: ['deleted', 'deletion_started'],
  },
]

/** Runs the operation in a process of its own. Undefined when the process died; otherwise its response. */
async function inDyingProcess(request: OperationRequest, executor: string, dieBefore: number) {
  const order = JSON.stringify({ url: database.url.reveal(), executor, request, dieBefore })
  const child = spawn(process.execPath, [program, order], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (signal === 'SIGKILL') return undefined
  if (code !== 0) throw new Error(`the executor ended with ${code}: ${output}`)
  return JSON.parse(output) as { answer: string; statements: number }
}

const outcome = (promise: Promise<string>) =>
  promise.then(
    (answer) => ({ answer }),
    (error: unknown) => {
      if (isFailure(error)) return { code: error.code }
      throw error
    },
  )

/** One cell: kill before that statement, then follow the path that the state prescribes. Returns how it ended. */
async function cell(
  { action, of = 'any', input = {}, prepare, effect, once: expected, events }: Case,
  dieBefore: number,
) {
  const subject = await prepare()
  const { orgId } = subject
  const operationId = `crash-${action}-${of}-${dieBefore}`
  const request: OperationRequest = { operationId, action, orgId, actor, reason: 'crash matrix', input }
  const died = (await inDyingProcess(request, `dead:${operationId}`, dieBefore)) === undefined

  const survivor = hostedOperations({ ...world, clock, executor: 'survivor:1' })
  try {
    const known = await survivor.find(operationId)
    let end = known === undefined ? 'nothing recorded' : known.state
    let found = await outcome(survivor.run(request, { waitMs: known?.state === 'executing' ? 1_000 : 20_000 }))

    if ('code' in found) {
      expect(found).toEqual({ code: 'operation_in_progress' })
      const claim = (await survivor.listClaims()).find((held) => held.orgId === orgId)!
      const recovery = { orgId, action, expectedOwner: claim.owner, actor }
      const early = await survivor.recover(recovery).catch((error: unknown) => error)
      expect(early).toMatchObject({ code: 'claim_not_recoverable', details: { reason: 'NotExpired' } })

      const later = hostedOperations({
        ...world,
        executor: 'survivor:2',
        clock: { ...clock, now: () => new Date(Date.now() + 600_001) },
      })
      await expect
        .poll(() =>
          later.recover(recovery).then(
            () => 'recovered',
            (error: { details?: { reason?: string } }) => error.details?.reason,
          ),
        )
        .toBe('recovered')
      found = await outcome(later.run(request))
      later.close()
      end = 'recovered'
    } else if (end === 'executing') end = 'reconciled by the marker'

    expect(found).toMatchObject({ answer: expect.any(String) })
    expect(await outcome(survivor.run(request))).toEqual(found)
    expect(await effect(subject)).toEqual(expected)
    const kinds = (await world.events.list(orgId, 50, undefined))
      .filter((event) => event.operationId === operationId)
      .map(({ kind }) => kind)
    expect(kinds.toSorted()).toEqual(events)
    expect(await survivor.isBusy(orgId)).toBe(false)
    expect((await survivor.listMutations(orgId, 10, undefined)).map(({ state }) => state)).toEqual(['succeeded'])
    return { died, end }
  } finally {
    survivor.close()
  }
}

/**
 * Defines the tests of operations whose executor is killed: before each statement, or before every third if `stride` is
 * 3. The survivors then follow the path that the state prescribes.
 */
export function crashMatrix({ stride }: { stride: number }): void {
  beforeAll(async () => {
    database = await createTestDatabase()
    world = await hostedWorld({ url: database.url })
  })
  afterAll(async () => {
    await world.close()
    await database.drop()
  })

  const named = cases.map((each) => ({ name: [each.action, each.of].filter(Boolean).join(' of '), ...each }))
  test.each(named)(`$name: killed at statement boundaries, ${stride} apart`, { timeout: 600_000 }, async (wanted) => {
    verifies('operation.reconciled', 'operation.in-progress', 'claim.recovery', 'operation.success-replayed')
    const ends = new Map<string, number>()
    let next = 1
    let over = false

    const walk = async () => {
      while (!over && next <= MOST_BOUNDARIES) {
        const { died, end } = await cell(wanted, (next += stride) - stride)
        if (!died) over = true
        else ends.set(end, (ends.get(end) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: PARALLEL }, walk))
    expect(over, 'the last process lives to the end').toBe(true)
    if (process.env.TEST_LOG) console.log(wanted.action, next - stride, Object.fromEntries(ends))

    // Actions whose effect the runtime proves can end in each of these two ways, and in no other than the legal ways.
    expect([...ends.keys()].filter((end) => end === 'recovered' || end.startsWith('nothing'))).toHaveLength(2)
    const legal = ['nothing recorded', 'requested', 'succeeded', 'reconciled by the marker', 'recovered', 'retryable']
    expect([...ends.keys()].filter((end) => !legal.includes(end))).toEqual([])
  })

  test('afterwards every chain of the audit verifies', async () => {
    const audit = createAudit({ db: world.db, clock, log: world.log, secret: new Secret('a secret of this test') })
    expect(await audit.verify()).toMatchObject({ broken: [] })
  })
}
