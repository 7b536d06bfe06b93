import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { BACKUP_FORMAT } from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import { fail, type ErrorCode } from '@svc/shared/wire/errors.ts'
import type { Condition, ManagedDaemon, ManagedDaemonSpec } from '@svc/shared/wire/managed-daemon.ts'
import type { SpecPatch } from '@svc/shared/wire/managed-daemon-store.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { createBackupEffects, type BackupEffectsDeps } from '../../control-plane/src/backups/backup-effects.ts'
import { backupStatesRepository } from '../../control-plane/src/backups/backup-states.repository.ts'
import { createScheduleBackups } from '../../control-plane/src/backups/schedule-backups.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { createPutToSleep } from '../../control-plane/src/effects/put-to-sleep.ts'
import { managedDaemonsRepository } from '../../control-plane/src/managed-daemons/managed-daemons.repository.ts'
import { lifecycleEventsRepository } from '../../control-plane/src/operations/lifecycle-events.repository.ts'
import { createOperations } from '../../control-plane/src/operations/operations.domain.ts'
import type { Execution } from '../../control-plane/src/operations/operation.ts'
import type { RunOperation } from '../../control-plane/src/operations/run-operation.ts'
import { verifies } from '../requirements.ts'
import { FIRST_IMAGE } from '../support/hosted-world.ts'
import { someDaemon } from '../support/managed-daemon-specs.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const log = createLog({ service: 'test', level: 'fatal' })
let now = new Date('2026-01-01T00:00:00.000Z')
const clock: Clock = { ...systemClock, now: () => now }
const pass = (seconds: number) => (now = new Date(now.getTime() + seconds * 1000))

let database: TestDatabase
let opened: ReturnType<typeof openDatabase>
let states: ReturnType<typeof backupStatesRepository>

beforeEach(async () => {
  database = await createTestDatabase()
  opened = openDatabase({ url: database.url, log, max: 4 })
  states = backupStatesRepository(opened.db, clock, DAY)
})
afterEach(async () => {
  await opened.close()
  await database.drop()
})

async function hostedOrganization(slug: string): Promise<string> {
  const id = newId('org_')
  const row = { id, name: slug, slug, daemon_mode: 'cloud_hosted' as const, createdAt: now, logo: null, metadata: null }
  await opened.db.insertInto('organization').values(row).execute()
  const lease = {
    orgId: id,
    image: FIRST_IMAGE,
    operationId: `provision-${slug}`,
    action: 'provision',
    epoch: 0,
  } as const
  await managedDaemonsRepository(opened.db, clock).insertLease(opened.db, lease)
  await opened.db.updateTable('managed_daemons').set({ state: 'active' }).where('organization_id', '=', id).execute()
  return id
}

const summary = {
  takenAt: '2026-01-01T00:00:00.000Z',
  files: 1,
  bytes: 1,
  readBytes: 1,
  sentBytes: 1,
  skipped: 0,
  chunks: 1,
  manifestParts: 1,
  settled: true,
}

type Failures = Partial<Record<'backup' | 'backup_drill', ErrorCode>> & { cause?: ErrorCode; reason?: string }

/** A worker, and the operations that it requested since the last check. What is in progress succeeds unwatched. */
function worker({ cause, reason, ...failures }: Failures = {}) {
  const asked: { action: string; orgId: string; operationId: string }[] = []
  const run: RunOperation = async ({ action, orgId, operationId }) => {
    asked.push({ action, orgId, operationId })
    const failure = failures[action as keyof typeof failures]
    if (failure !== undefined && failure !== 'operation_in_progress')
      throw fail(failure, { [failure === 'operation_failed' ? 'cause' : 'code']: cause, reason })
    const backupId = `bak_${now.toISOString().replace(/\D/g, '').slice(0, 14)}aaaaaaaaaa`
    if (action === 'backup')
      await states.updateTaken(
        orgId,
        { format: BACKUP_FORMAT, backupId, orgId, chunks: [], summary: { ...summary, takenAt: now.toISOString() } },
        null,
      )
    else await states.updateVerified(orgId, (await states.find(orgId)).last!.backupId, now)
    if (failure !== undefined) throw fail(failure)
    return '{}'
  }
  const { look } = createScheduleBackups({ states, run, drillSeconds: 7 * DAY, clock, log })
  return {
    look: async (orgId: string): Promise<string[]> => {
      asked.splice(0)
      await look()
      return asked.filter((each) => each.orgId === orgId).map(({ action }) => action)
    },
    lookOnce: look,
    asked,
    run,
  }
}

test('a new daemon is backed up and proved, then each time its interval is over, and proved once a week', async () => {
  verifies('backup.schedule')
  const orgId = await hostedOrganization('daily')
  const { look } = worker()
  expect(await look(orgId)).toEqual(['backup', 'backup_drill'])
  pass(DAY - 1)
  expect(await look(orgId)).toEqual([])
  for (let day = 1; day < 7; day += 1) {
    pass(day === 1 ? 1 : DAY)
    expect(await look(orgId), `day ${day}`).toEqual(['backup'])
  }
  pass(DAY)
  expect(await look(orgId)).toEqual(['backup', 'backup_drill'])
})

test('one that fails is tried again after a quarter of an hour, as another operation', async () => {
  verifies('backup.schedule')
  const orgId = await hostedOrganization('failing')
  const failing = worker({ backup: 'operation_retryable' })
  expect(await failing.look(orgId)).toEqual(['backup'])
  const [first] = failing.asked.filter((each) => each.orgId === orgId)
  pass(15 * 60)
  const working = worker()
  expect(await working.look(orgId)).toEqual(['backup', 'backup_drill'])
  expect(working.asked.find((each) => each.orgId === orgId)?.operationId).not.toBe(first?.operationId)
})

test('a drill that fails for good is tried again after the next backup, and brings no backup forward', async () => {
  verifies('backup.schedule', 'backup.retention')
  const orgId = await hostedOrganization('unproved')
  const { look } = worker({ backup_drill: 'operation_failed' })
  expect(await look(orgId)).toEqual(['backup', 'backup_drill'])
  for (let day = 0; day < 2; day += 1) {
    for (let quarter = 1; quarter < 96; quarter += 1) {
      pass(15 * 60)
      expect(await look(orgId), `day ${day}, quarter ${quarter}`).toEqual([])
    }
    pass(15 * 60)
    expect(await look(orgId), `after day ${day}`).toEqual(['backup', 'backup_drill'])
  }
})

/** The quarters of an hour, counted from the first, in which the daemon of an organization was asked for something. */
async function quartersOf(orgId: string, count: number, look: ReturnType<typeof worker>['look']): Promise<number[]> {
  const quarters: number[] = []
  for (let quarter = 0; quarter < count; quarter += 1) {
    if ((await look(orgId)).length > 0) quarters.push(quarter)
    pass(15 * 60)
  }
  return quarters
}

test('a drill that may succeed later is tried again, ever more rarely, without another backup', async () => {
  verifies('backup.schedule', 'backup.retention', 'backup.failing-apart')
  const orgId = await hostedOrganization('proved-late')
  const { look, asked } = worker({ backup_drill: 'operation_retryable' })
  expect(await look(orgId)).toEqual(['backup', 'backup_drill'])
  pass(15 * 60)
  expect(await quartersOf(orgId, 94, look)).toEqual([0, 2, 6, 14, 30, 62])
  expect(asked).toEqual([])
  pass(15 * 60)
  const working = worker()
  expect(await working.look(orgId)).toEqual(['backup', 'backup_drill'])
})

test('a backup that keeps failing is tried ever more rarely, but once a day; a success ends that', async () => {
  verifies('backup.failing-apart')
  const orgId = await hostedOrganization('broken-for-days')
  const failing = worker({ backup: 'operation_retryable' })
  expect(await quartersOf(orgId, 4 * 96, failing.look)).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 223, 319])
  pass(DAY)
  expect(await worker().look(orgId)).toEqual(['backup', 'backup_drill'])
  pass(DAY)
  expect(await quartersOf(orgId, 5, failing.look)).toEqual([0, 1, 3])
})

test('a daemon that still wakes is tried again after three minutes, and that is no failure', async () => {
  verifies('backup.slow-wake')
  const orgId = await hostedOrganization('slow')
  const waking = worker({ backup: 'operation_retryable', reason: 'StillWaking' })
  expect(await waking.look(orgId)).toEqual(['backup'])
  pass(179)
  expect(await waking.look(orgId)).toEqual([])
  pass(1)
  const failing = worker({ backup: 'operation_retryable', reason: 'NotYetRunning' })
  expect(await quartersOf(orgId, 5, failing.look)).toEqual([0, 1, 3])
})

test('one with a shorter interval waits no longer than that between attempts', async () => {
  verifies('backup.failing-apart')
  const orgId = await hostedOrganization('hourly')
  await states.insertMissing()
  await states.updateSchedule(orgId, HOUR)
  const failing = worker({ backup: 'operation_failed' })
  expect(await quartersOf(orgId, 16, failing.look)).toEqual([0, 1, 3, 7, 11, 15])
})

test.each([
  ['operation_retryable', 'backup_store_unavailable'],
  ['operation_failed', 'backup_store_full'],
] as const)(
  '%s by %s: while the storage is away, a backup is tried every quarter of an hour',
  async (backup, cause) => {
    verifies('backup.schedule')
    const orgId = await hostedOrganization('no-bucket')
    const failing = worker({ backup, cause })
    expect(await quartersOf(orgId, 5, failing.look)).toEqual([0, 1, 2, 3, 4])
  },
)

test('a backup that takes long holds up no other: four are under way, and each that ends makes room', async () => {
  verifies('backup.failing-apart')
  const ids = await Promise.all(Array.from({ length: 9 }, (_, index) => hostedOrganization(`slot-${index}`)))
  const stuck = Promise.withResolvers<void>()
  const order: string[] = []
  let underWay = 0
  let most = 0
  const run: RunOperation = async ({ action, orgId }) => {
    if (action === 'backup_drill') return '{}'
    order.push(orgId)
    most = Math.max(most, (underWay += 1))
    // Three of them cannot start; the rest shares one place.
    if (order.indexOf(orgId) < 3) await stuck.promise
    underWay -= 1
    throw fail('operation_retryable')
  }
  const { look } = createScheduleBackups({ states, run, drillSeconds: 7 * DAY, clock, log })
  const over = look()
  await until('all are tried', () => order.length === ids.length)
  expect(new Set(order)).toEqual(new Set(ids))
  expect(most).toBe(4)
  stuck.resolve()
  await over
})

test('a worker that stops waits for no backup that is under way', async () => {
  verifies('backup.schedule')
  const orgId = await hostedOrganization('stopped')
  await states.insertMissing()
  const operations = createOperations({
    db: opened.db,
    clock: systemClock,
    log,
    executor: 'test',
    effects: () => ({}),
    // Nobody executes it.
    wake: async () => {},
    isLiving: async () => true,
  })
  const { start } = createScheduleBackups({ states, run: operations.run, drillSeconds: 7 * DAY, clock, log })
  const stop = start()
  const asked = async () => (await operations.listRecent(10)).map(({ action, state }) => `${action} ${state}`)
  await until('the backup is requested', async () => (await asked()).length > 0)
  await stop()
  expect(await asked()).toEqual(['backup requested'])
  // Another worker finds it due.
  pass(15 * 60)
  expect(await worker().look(orgId)).toEqual(['backup', 'backup_drill'])
})

test('a worker that stops while it takes a backup leaves the drill to another', async () => {
  verifies('backup.schedule')
  const orgId = await hostedOrganization('stopped-late')
  await states.insertMissing()
  const { asked, run } = worker()
  const stopping = Promise.withResolvers<void>()
  const { start } = createScheduleBackups({
    states,
    run: async (request) => {
      stopping.resolve()
      await stopped
      return run(request)
    },
    drillSeconds: 7 * DAY,
    clock,
    log,
  })
  const stop = start()
  let over = Promise.resolve()
  const stopped = stopping.promise.then(() => void (over = stop()))
  await stopped
  await over
  expect(asked.map(({ action }) => action)).toEqual(['backup'])
  pass(15 * 60)
  expect(await worker().look(orgId)).toEqual(['backup_drill'])
})

test('a backup that takes longer than a worker waits is not taken again before its interval is over', async () => {
  verifies('backup.schedule', 'backup.retention')
  const orgId = await hostedOrganization('long')
  expect(await worker({ backup: 'operation_in_progress' }).look(orgId)).toEqual(['backup'])
  pass(15 * 60)
  const { look } = worker()
  expect(await look(orgId)).toEqual(['backup_drill'])
  pass(DAY - 15 * 60 - 1)
  expect(await look(orgId)).toEqual([])
  pass(1)
  expect(await look(orgId)).toEqual(['backup'])
})

test('a backup from the future, by a clock that was wrong, holds no later one up', async () => {
  verifies('backup.schedule')
  const orgId = await hostedOrganization('ahead')
  const { look } = worker()
  await look(orgId)
  await opened.db
    .updateTable('backup_states')
    .set({ last_taken_at: new Date(now.getTime() + 1000 * DAY * 365) })
    .execute()
  pass(DAY)
  expect(await look(orgId)).toEqual(['backup'])
})

test('a daemon that no drill has proved yet counts as unproved since it exists', async () => {
  verifies('backup.schedule')
  const orgId = await hostedOrganization('never-proved')
  await opened.db.updateTable('managed_daemons').set({ activated_at: now }).execute()
  const { look } = worker({ backup_drill: 'operation_failed' })
  await look(orgId)
  pass(3 * DAY)
  expect(await states.measure()).toMatchObject({ unbacked: 0, oldest: 3 * DAY, unproved: 3 * DAY })
  await worker().look(orgId)
  pass(HOUR)
  expect(await states.measure()).toMatchObject({ oldest: HOUR, unproved: HOUR })
})

test('workers that look at the same time take each daemon once', async () => {
  verifies('backup.schedule')
  const ids = await Promise.all(Array.from({ length: 6 }, (_, index) => hostedOrganization(`many-${index}`)))
  const workers = [worker(), worker(), worker()]
  await Promise.all(workers.map(({ lookOnce }) => lookOnce()))
  const backups = workers.flatMap(({ asked }) => asked).filter(({ action }) => action === 'backup')
  for (const orgId of ids) expect(backups.filter((each) => each.orgId === orgId)).toHaveLength(1)
})

test('an organization has an interval of its own, or none', async () => {
  verifies('backup.schedule')
  const orgId = await hostedOrganization('own')
  const { look } = worker()
  await look(orgId)
  await states.updateSchedule(orgId, 2 * HOUR)
  expect(await look(orgId)).toEqual([])
  pass(2 * HOUR)
  expect(await look(orgId)).toEqual(['backup'])
  pass(1.5 * HOUR)
  await states.updateSchedule(orgId, HOUR)
  expect(await look(orgId)).toEqual(['backup'])
  await states.updateSchedule(orgId, 0)
  expect(await states.find(orgId)).toMatchObject({ everySeconds: 0, from: 'organization' })
  pass(3 * DAY)
  expect(await look(orgId)).toEqual([])
  await states.updateSchedule(orgId, null)
  expect(await look(orgId)).toContain('backup')
})

test.each([
  ['succeeds', {}],
  ['has failed for days', { backup: 'operation_retryable' }],
] as const)('an interval that is chosen during a backup that %s counts from then on', async (_how, failures) => {
  verifies('backup.interval-chosen')
  const orgId = await hostedOrganization('chosen-late')
  await states.updateSchedule(orgId, 30 * DAY)
  await opened.db.updateTable('backup_states').set({ failures: 10 }).execute()
  const { run } = worker(failures)
  // Two claims never last until the same time: a worker knows its own by it.
  const ticking: Clock = { ...clock, now: () => (now = new Date(now.getTime() + 1)) }
  let isChosen = false
  const { look } = createScheduleBackups({
    states: backupStatesRepository(opened.db, ticking, DAY),
    run: async (request) => {
      if (!isChosen) {
        isChosen = true
        await states.updateSchedule(orgId, HOUR)
      }
      return run(request)
    },
    drillSeconds: 7 * DAY,
    clock: ticking,
    log,
  })
  await look()
  pass(HOUR - 1)
  expect(await worker().look(orgId)).toEqual([])
  pass(1)
  expect(await worker().look(orgId)).toContain('backup')
})

test('a reinstalled daemon, which may be empty, is backed up again only after a restore or a backup by an admin', async () => {
  verifies('backup.after-reinstallation')
  const [orgId, otherId] = [await hostedOrganization('lost'), await hostedOrganization('kept')]
  const events = lifecycleEventsRepository(opened.db, clock)
  const isAwaited = async () => [
    (await states.find(orgId)).awaitsRestore,
    (await states.list([orgId, otherId])).get(orgId)?.awaitsRestore,
  ]
  const { look } = worker()
  await look(orgId)
  expect(await isAwaited()).toEqual([false, false])

  for (const ending of ['restored', 'backed_up'] as const) {
    await events.insert(orgId, 'backed_up')
    pass(HOUR)
    await events.insert(orgId, 'reinstall_started')
    const at = now
    await events.insert(orgId, 'reinstalled')
    pass(DAY)
    for (let looks = 0; looks < 3; looks += 1) {
      expect(await look(orgId), ending).toEqual([])
      pass(DAY)
    }
    expect(await isAwaited()).toEqual([true, true])
    expect((await states.list([otherId])).get(otherId)?.awaitsRestore).toBe(false)
    expect(await states.listReinstalls(orgId)).toEqual([at])

    await events.insert(orgId, ending)
    expect(await isAwaited()).toEqual([false, false])
    expect(await states.listReinstalls(orgId)).toEqual(ending === 'restored' ? [] : [at])
    expect(await look(orgId), ending).toContain('backup')
  }
})

/** The database learns that a daemon sleeps; right then, unless it was away. */
const fallAsleep = (orgId: string) => lifecycleEventsRepository(opened.db, clock).insertObserved(orgId, 'sleeping', {})

/** Asks for a backup of a daemon that sleeps, and was not used since the last backup that the database knows. */
async function askAsleep(orgId: string, asleepSince = now): Promise<unknown> {
  await opened.db.updateTable('backup_states').set({ last_activity: '7', slept_activity: '7' }).execute()
  const sleeping: Condition = {
    type: 'Sleeping',
    status: 'True',
    reason: 'Asleep',
    message: '',
    observedGeneration: 1,
    lastTransitionTime: asleepSince.toISOString(),
  }
  const { backup } = createBackupEffects({
    states,
    store: {
      find: async () =>
        someDaemon(
          { orgId, desiredState: 'sleeping' },
          { status: { observedState: 'sleeping', conditions: [sleeping] } },
        ),
    },
    events: {
      insertFenced: async () => {
        throw new Error('it is woken')
      },
    },
    catalog: {
      find: async (_: string, backupId: string) => ({ format: BACKUP_FORMAT, backupId, orgId, chunks: [], summary }),
    },
  } as unknown as BackupEffectsDeps)
  const operation = { orgId, operationId: 'backup-asleep', actor: { kind: 'system', id: 'backup-schedule' } }
  return backup!.execute({ operation, signal: AbortSignal.timeout(60_000) } as Execution)
}

test('backup and proof of a daemon that sleeps unused do not grow old, and asking for it ends a problem', async () => {
  verifies('backup.schedule')
  const orgId = await hostedOrganization('idle')
  await worker().look(orgId)
  const { last } = await states.find(orgId)
  await states.updateProblem(orgId, { of: 'backup', code: 'backup_store_unavailable' })
  pass(40 * DAY)
  expect(await states.measure()).toMatchObject({ failing: 1, oldest: 40 * DAY, unproved: 40 * DAY })

  await fallAsleep(orgId)
  expect(await askAsleep(orgId)).toMatchObject({ fresh: true, backup: { backupId: last!.backupId } })
  expect(await states.measure()).toMatchObject({ failing: 0, oldest: 0, unproved: 0 })
  expect(await states.find(orgId)).toMatchObject({
    last: { backupId: last!.backupId, takenAt: last!.takenAt, currentAt: now.toISOString() },
    problem: null,
  })
  pass(HOUR)
  expect(await states.measure()).toMatchObject({ oldest: HOUR, unproved: HOUR })
})

test('a backup that no drill could prove stays a problem and unproved while its daemon sleeps unused', async () => {
  verifies('backup.schedule')
  const orgId = await hostedOrganization('broken')
  await opened.db.updateTable('managed_daemons').set({ activated_at: now }).execute()
  await worker({ backup_drill: 'operation_failed' }).look(orgId)
  await states.updateProblem(orgId, { of: 'drill', code: 'backup_broken', reason: 'ChunkMissing' })
  pass(DAY)
  await fallAsleep(orgId)
  await askAsleep(orgId)
  expect(await states.measure()).toMatchObject({ failing: 1, oldest: 0, unproved: DAY })
})

test.each([
  ['was asleep', ['sleeping']],
  ['was running', ['sleeping', 'running']],
] as const)(
  'a database that was restored from a dump in which the daemon %s takes no backup for fresh',
  async (_how, known) => {
    verifies('backup.schedule')
    const orgId = await hostedOrganization('dumped')
    await worker().look(orgId)
    const events = lifecycleEventsRepository(opened.db, clock)
    for (const state of known) await events.insertObserved(orgId, state, {})
    // The sleep that the dump knows of was followed by another, of which it knows nothing.
    pass(HOUR)
    const asleepSince = now
    pass(HOUR)
    await fallAsleep(orgId)
    await expect(askAsleep(orgId, asleepSince)).rejects.toThrow('it is woken')
  },
)

test('the backup of a daemon that sleeps is no longer fresh once the daemon was reinstalled', async () => {
  verifies('backup.after-reinstallation')
  const orgId = await hostedOrganization('slept')
  await worker().look(orgId)
  const { backupId } = (await states.find(orgId)).last!
  await opened.db.updateTable('backup_states').set({ last_activity: '7' }).execute()
  await states.updateSlept(orgId, '7')
  await fallAsleep(orgId)
  expect(await states.findFresh(orgId, now)).toBe(backupId)
  await lifecycleEventsRepository(opened.db, clock).insert(orgId, 'reinstall_started')
  expect(await states.findFresh(orgId, now)).toBeUndefined()
})

test('the last word of a daemon about its use counts, whenever it is recorded', async () => {
  verifies('sleep.last-use')
  const orgId = await hostedOrganization('last')
  await worker().look(orgId)
  const { backupId } = (await states.find(orgId)).last!
  await opened.db.updateTable('backup_states').set({ last_activity: '7' }).execute()
  await fallAsleep(orgId)
  const orders = [
    [() => states.updateSlept(orgId, '7'), () => states.updateStopped(orgId, '8')],
    [() => states.updateStopped(orgId, '8'), () => states.updateSlept(orgId, '7')],
  ]
  for (const order of orders) {
    await states.deleteSlept(orgId)
    for (const record of order) await record()
    expect(await states.findFresh(orgId, now)).toBeUndefined()
  }
  await states.updateStopped(orgId, '7')
  expect(await states.findFresh(orgId, now)).toBe(backupId)
})

test('a sleep that an operation asked for, after a wake, leaves no backup fresh', async () => {
  verifies('backup.schedule')
  const orgId = await hostedOrganization('woken')
  await worker().look(orgId)
  await opened.db.updateTable('backup_states').set({ last_activity: '7' }).execute()
  await fallAsleep(orgId)
  await states.updateSlept(orgId, '7')
  await fallAsleep(orgId)
  // Somebody has woken it and used it since. No backup was taken meanwhile.
  let daemon = someDaemon({ orgId })
  const sleep = createPutToSleep({
    store: {
      find: async () => daemon,
      patchSpec: async (_name: string, _resourceVersion: string, patch: SpecPatch) => {
        expect(await states.findFresh(orgId, now)).toBeUndefined()
        const done = { id: 'sleep-1', outcome: 'succeeded' } as const
        const status = { ...daemon.status, observedState: 'sleeping' as const, operation: done }
        daemon = { ...daemon, spec: { ...daemon.spec, ...patch } as ManagedDaemonSpec, status }
        return daemon
      },
    },
    waiter: { until: async ({ judge }: { judge: (found: ManagedDaemon) => unknown }) => judge(daemon) },
    events: { insertFenced: async () => {} },
    forgetUse: states.deleteSlept,
  } as unknown as Parameters<typeof createPutToSleep>[0])
  const operation = { orgId, operationId: 'sleep-1', action: 'sleep' }
  const execution = { operation, epoch: 1, previousEpoch: 0, signal: AbortSignal.timeout(60_000) }
  await sleep.execute(execution as unknown as Execution)
  expect(daemon.spec.desiredState).toBe('sleeping')
  expect(await states.findFresh(orgId, now)).toBeUndefined()
})

test('a backup that was requested before the reinstallation is refused afterwards, whoever asked for it', async () => {
  verifies('backup.after-reinstallation')
  const orgId = await hostedOrganization('late')
  const requestedAt = clock.now()
  pass(HOUR)
  await lifecycleEventsRepository(opened.db, clock).insert(orgId, 'reinstall_started')
  const { backup } = createBackupEffects({ states } as BackupEffectsDeps)
  for (const actor of [
    { kind: 'system', id: 'backup-schedule' },
    { kind: 'user', id: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa' },
  ]) {
    const operation = { orgId, operationId: 'backup-late', actor, requestedAt }
    await expect(backup!.execute({ operation } as Execution)).rejects.toMatchObject({
      code: 'operation_failed',
      details: { reason: 'AwaitsRestore' },
    })
  }
  expect((await states.find(orgId)).problem).toBeNull()
})
