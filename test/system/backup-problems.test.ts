import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { BACKUP_FORMAT } from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import { fail, type ErrorCode } from '@svc/shared/wire/errors.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { Envelope } from '../../control-plane/src/backups/backup-catalog.ts'
import { createBackupEffects, type BackupEffectsDeps } from '../../control-plane/src/backups/backup-effects.ts'
import { backupStatesRepository } from '../../control-plane/src/backups/backup-states.repository.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { lifecycleEventsRepository } from '../../control-plane/src/operations/lifecycle-events.repository.ts'
import type { Execution } from '../../control-plane/src/operations/operation.ts'
import { verifies } from '../requirements.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'

const log = createLog({ service: 'test', level: 'fatal' })
let now = new Date('2026-01-01T00:00:00.000Z')
const clock: Clock = { ...systemClock, now: () => now }

let database: TestDatabase
let opened: ReturnType<typeof openDatabase>
let states: ReturnType<typeof backupStatesRepository>
let orgId: string

beforeEach(async () => {
  database = await createTestDatabase()
  opened = openDatabase({ url: database.url, log, max: 2 })
  states = backupStatesRepository(opened.db, clock, 24 * 3600)
  orgId = newId('org_')
  const row = { id: orgId, name: 'one', slug: 'one', daemon_mode: 'cloud_hosted' as const, createdAt: now }
  await opened.db
    .insertInto('organization')
    .values({ ...row, logo: null, metadata: null })
    .execute()
})
afterEach(async () => {
  await opened.close()
  await database.drop()
})

/**
 * The effects over a bucket in memory, and a daemon that sleeps on request. `storeFails`: what the bucket throws;
 * `deletionFails`: what it throws only when it should delete.
 */
function hosted() {
  const world = {
    storeFails: undefined as ErrorCode | undefined,
    deletionFails: undefined as ErrorCode | undefined,
    /** How the last operation ended. */
    ended: undefined as 'done' | 'failed' | undefined,
    desiredState: 'running' as 'running' | 'sleeping',
    observedState: 'running' as 'running' | 'sleeping',
    starts: 'at once' as 'at once' | 'slowly',
    /** Requests that the daemon is answering. */
    inProgress: 0,
    /** Called when a backup was taken. */
    taken: () => {},
    /** Files of the daemon. */
    files: 1,
    sendFails: undefined as ErrorCode | undefined,
    restored: undefined as { restoreId: string; at: string } | undefined,
  }
  const asleepSince = now
  const fallAsleep = () => lifecycleEventsRepository(opened.db, clock).insertObserved(orgId, 'sleeping', {})
  const stored: Envelope[] = []
  const reach = () => {
    if (world.storeFails !== undefined) throw fail(world.storeFails)
  }
  const daemon = () =>
    ({
      spec: { orgId, desiredState: world.desiredState },
      status: {
        observedState: world.observedState,
        conditions: [{ type: 'Sleeping', lastTransitionTime: asleepSince.toISOString() }],
      },
    }) as ManagedDaemon
  const summary = { files: 1, bytes: 1, readBytes: 1, sentBytes: 1, skipped: 0, chunks: 1, manifestParts: 1 }
  const effects = createBackupEffects({
    states,
    clock,
    store: {
      find: async () => daemon(),
      patchSpec: async (_name: string, _resourceVersion: string, patch: Partial<typeof world>) => {
        Object.assign(world, { desiredState: patch.desiredState })
        return daemon()
      },
    },
    events: { insertFenced: async () => {} },
    waiter: { until: async () => (world.starts === 'at once' ? daemon() : undefined) },
    catalog: {
      find: async (_orgId: string, backupId: string) => {
        reach()
        return stored.find((envelope) => envelope.backupId === backupId)
      },
      listIds: async () => (reach(), stored.map(({ backupId }) => backupId).toReversed()),
      prune: async () => {
        if (world.deletionFails !== undefined) throw fail(world.deletionFails)
      },
    },
    transferFor: () => ({
      receive: async ({ backupId }: { backupId: string }) => {
        const takenAt = now.toISOString()
        const envelope = { format: BACKUP_FORMAT, backupId, orgId, chunks: [] }
        stored.push({ ...envelope, summary: { ...summary, files: world.files, takenAt, settled: true } } as Envelope)
        world.taken()
        return stored.at(-1)
      },
      send: async ({ restoreId, from, purpose }: { restoreId: string; from: Envelope; purpose: string }) => {
        if (world.sendFails !== undefined) throw fail(world.sendFails)
        if (purpose === 'replace')
          Object.assign(world, { restored: { restoreId, at: now.toISOString() }, files: from.summary.files })
        return { files: 1, bytes: 1, vaults: 1 }
      },
    }),
    readLastRestore: async () =>
      world.restored ? { ...world.restored, backupId: stored[0]!.backupId, summary: {} } : null,
    readActivity: async () => ({ sequence: '7', inProgress: world.inProgress, idleMs: 0 }),
    backupKey: new Secret('0'.repeat(64)),
    keep: 7,
  } as unknown as BackupEffectsDeps)
  let operations = 0
  /** Executes a new operation; resolves with what people then see of failures. */
  const run = async (action: 'backup' | 'backup_drill') => {
    now = new Date(now.getTime() + 60_000)
    operations += 1
    const operation = {
      orgId,
      operationId: `test-${operations}`,
      requestedAt: now,
      actor: { kind: 'system', id: 'test' },
    }
    const execution = { operation, signal: new AbortController().signal } as Execution
    world.ended = await effects[action]!.execute(execution).then(
      () => 'done' as const,
      () => 'failed' as const,
    )
    return (await states.find(orgId)).problem
  }
  return { world, run, effects, stored, asleepSince, fallAsleep }
}

test.each<ErrorCode>(['backup_store_unavailable', 'backup_broken', 'daemon_offline', 'internal'])(
  'a drill that failed with %s is a problem until a drill succeeds, whatever backups do',
  async (code) => {
    verifies('backup.store-failures')
    const { world, run } = hosted()
    expect(await run('backup')).toBeNull()
    world.storeFails = code
    expect(await run('backup_drill')).toMatchObject({ code, of: 'drill' })
    world.storeFails = undefined
    expect(await run('backup')).toMatchObject({ code, of: 'drill' })
    expect(await run('backup_drill')).toBeNull()
  },
)

test.each<ErrorCode>(['backup_store_unavailable', 'storage_full'])(
  'a backup that failed with %s is a problem until a backup succeeds, whatever drills do',
  async (code) => {
    verifies('backup.store-failures')
    const { world, run } = hosted()
    await run('backup')
    world.storeFails = code
    expect(await run('backup')).toMatchObject({ code, of: 'backup' })
    world.storeFails = undefined
    expect(await run('backup_drill')).toMatchObject({ code, of: 'backup' })
    expect(await run('backup')).toBeNull()
  },
)

test.each<ErrorCode>(['backup_store_refused', 'backup_store_unavailable', 'backup_broken'])(
  'a backup succeeds also if the ones before it cannot be deleted for %s, which is a problem until they are',
  async (code) => {
    verifies('backup.store-failures')
    const { world, run, stored } = hosted()
    world.deletionFails = code
    expect(await run('backup')).toMatchObject({ code, of: 'backup' })
    expect(world.ended).toBe('done')
    expect((await states.find(orgId)).last?.backupId).toBe(stored.at(-1)!.backupId)
    world.deletionFails = undefined
    expect(await run('backup')).toBeNull()
  },
)

test('a restore that is tried again first backs up what was written since its first attempt', async () => {
  verifies('backup.restore-undone')
  const { world, run, effects, stored } = hosted()
  await run('backup')
  const inputText = JSON.stringify({ backupId: stored[0]!.backupId })
  const actor = { kind: 'user', id: 'test' }
  const operation = { orgId, operationId: 'restore-1', requestedAt: now, actor, inputText }
  const execution = { operation, signal: new AbortController().signal } as unknown as Execution
  const attempt = () => {
    now = new Date(now.getTime() + 60_000)
    return effects.restore!.execute(execution)
  }
  world.files = 2
  world.sendFails = 'backup_store_unavailable'
  await expect(attempt()).rejects.toMatchObject({ code: 'backup_store_unavailable' })
  world.files = 3
  world.sendFails = undefined
  const answer = await attempt()
  const filesOf = (id: string) => stored.find((each) => each.backupId === id)?.summary.files
  expect(filesOf((answer as { safetyBackupId: string }).safetyBackupId)).toBe(3)
  expect(stored.map(({ summary }) => summary.files)).toEqual([1, 2, 3])

  // It is done: neither a repetition nor a recovery replaces anything, and both name the same backup.
  world.files = 4
  expect(await attempt()).toEqual(answer)
  expect(await effects.restore!.findMarker(execution.operation)).toEqual({ outcome: 'succeeded', answer })
  expect([stored.length, world.files]).toEqual([3, 4])
})

test('a restore that an earlier attempt sent, and that is put in place late, is undone by the backup from before it', async () => {
  verifies('backup.restore-undone')
  const { world, run, effects, stored } = hosted()
  await run('backup')
  const inputText = JSON.stringify({ backupId: stored[0]!.backupId })
  const operation = {
    orgId,
    operationId: 'restore-2',
    requestedAt: now,
    actor: { kind: 'user', id: 'test' },
    inputText,
  }
  const execution = { operation, signal: new AbortController().signal } as unknown as Execution
  world.sendFails = 'stream_reset'
  await expect(effects.restore!.execute(execution)).rejects.toMatchObject({ code: 'stream_reset' })
  const [, before] = stored
  const at = now.toISOString()
  now = new Date(now.getTime() + 60_000)
  world.taken = () => void (world.restored = { restoreId: 'restore-2', at })
  expect(await effects.restore!.execute(execution)).toMatchObject({ safetyBackupId: before!.backupId })
})

test('a backup that finds the last one still current ends the problem of backups', async () => {
  verifies('backup.store-failures')
  const { world, run, fallAsleep } = hosted()
  await run('backup')
  Object.assign(world, { desiredState: 'sleeping', observedState: 'sleeping' })
  await states.updateSlept(orgId, '7')
  await fallAsleep()
  world.storeFails = 'backup_store_unavailable'
  expect(await run('backup')).toMatchObject({ code: 'backup_store_unavailable' })
  world.storeFails = undefined
  expect(await run('backup')).toBeNull()
})

test('the last backup of a daemon that was to sleep but still serves is not current: another is taken', async () => {
  verifies('operator.volume-lost')
  const { world, run, stored } = hosted()
  await run('backup')
  world.desiredState = 'sleeping'
  await states.updateSlept(orgId, '7')
  expect(await run('backup')).toBeNull()
  expect(stored).toHaveLength(2)
  expect(world.desiredState).toBe('running')
})

test('a backup that was taken while a request was in progress is not current during the next sleep', async () => {
  verifies('sleep.last-use')
  const { world, run, stored, asleepSince, fallAsleep } = hosted()
  await run('backup')
  await states.updateSlept(orgId, '7')
  await fallAsleep()
  const findFresh = () => states.findFresh(orgId, asleepSince)
  const { backupId } = stored.at(-1)!
  expect(await findFresh()).toBe(backupId)
  // The request may write after the backup, and no other follows before the sleep.
  world.inProgress = 1
  await run('backup')
  expect(stored).toHaveLength(2)
  expect(await findFresh()).toBeUndefined()
  world.inProgress = 0
  await run('backup')
  expect(await findFresh()).toBe(stored.at(-1)!.backupId)
})

test.each([
  ['system', 90_000],
  ['user', 600_000],
] as const)('a backup by a %s waits %d ms for a daemon to start', async (kind, wanted) => {
  verifies('backup.failing-apart')
  const waits: number[] = []
  const { backup } = createBackupEffects({
    states,
    clock,
    timeoutMs: 600_000,
    store: { find: async () => ({ spec: { desiredState: 'running' } }) },
    waiter: { until: async ({ timeoutMs }: { timeoutMs: number }) => void waits.push(timeoutMs) },
    catalog: { find: async () => undefined },
  } as unknown as BackupEffectsDeps)
  const operation = { orgId, operationId: 'test-start', requestedAt: now, actor: { kind, id: 'test' } }
  const execution = { operation, signal: new AbortController().signal } as Execution
  await expect(backup!.execute(execution)).rejects.toMatchObject({ details: { reason: 'NotYetRunning' } })
  expect(waits).toEqual([wanted])
})

test('a scheduled backup that woke a daemon records no problem while the daemon still starts', async () => {
  verifies('backup.slow-wake')
  const { world, run, stored } = hosted()
  Object.assign(world, { desiredState: 'sleeping', starts: 'slowly' })
  expect(await run('backup')).toBeNull()
  expect(stored).toEqual([])
  // The daemon has been awake since the attempt before.
  expect(await run('backup')).toMatchObject({ code: 'operation_retryable', reason: 'NotYetRunning' })
  world.starts = 'at once'
  expect(await run('backup')).toBeNull()
  expect(stored).toHaveLength(1)
})

test('a problem that an earlier version recorded ends with the next success of either kind', async () => {
  verifies('backup.store-failures')
  const { run } = hosted()
  await run('backup')
  for (const action of ['backup_drill', 'backup'] as const) {
    await opened.db.updateTable('backup_states').set({ problem_code: 'internal', problem_at: now }).execute()
    expect((await states.find(orgId)).problem).toEqual({ code: 'internal', at: now.toISOString() })
    expect(await run(action)).toBeNull()
  }
})
