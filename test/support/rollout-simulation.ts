import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type pg from 'pg'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { RolloutSettings } from '@svc/shared/wire/admin/rollouts.api.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { initialStatus, managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { createRollouts } from '../../control-plane/src/rollouts/rollouts.domain.ts'
import { createManagedDaemonTable } from '../../embedded/managed-daemon-table.ts'
import { hostedOperations } from './hosted-operations.ts'
import { FIRST_IMAGE, IMAGES } from './hosted-world.ts'
import { someSpec } from './managed-daemon-specs.ts'
import { createTestDatabase, type TestDatabase } from './postgres.ts'

const program = fileURLToPath(new URL('./rollout-control-plane.ts', import.meta.url))
const CONCURRENCY = 100
const BAD_PERCENT = 3
const SLEEPING_PERCENT = 10
const NEW_IMAGE = `${IMAGES}@sha256:${'2'.repeat(64)}`
const actor = { kind: 'user', id: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa' } as const

let database: TestDatabase
let connection: ReturnType<typeof openDatabase>
const log = createLog({ service: 'test', level: 'fatal' })
const children: ChildProcess[] = []

/** A fleet after months of use: all daemons run one image, some sleep, and some will fail on the next image. */
async function fillFleet(pool: pg.Pool, size: number): Promise<void> {
  const fleet = Array.from({ length: size }, (_unused, index) => {
    const orgId = newId('org_')
    const desiredState = index % 100 < SLEEPING_PERCENT ? ('sleeping' as const) : ('running' as const)
    const spec = someSpec({ orgId, image: FIRST_IMAGE, desiredState })
    return {
      name: managedDaemonName(orgId),
      spec,
      status: { ...initialStatus, observedState: desiredState, image: FIRST_IMAGE },
    }
  })
  await pool.query(
    `insert into embedded.managed_daemons (name, spec, status)
     select item->>'name', item->'spec', item->'status' from jsonb_array_elements($1::jsonb) item`,
    [JSON.stringify(fleet)],
  )
  await pool.query('create table bad_organizations (name text primary key)')
  const bad = fleet.filter((_unused, index) => index % 100 >= 100 - BAD_PERCENT).map(({ name }) => [name])
  await pool.query('insert into bad_organizations select unnest($1::text[])', [bad.flat()])
}

/** The operator for the whole fleet: one statement brings every daemon to its spec. */
const OPERATE = `
update embedded.managed_daemons daemon
set resource_version = nextval('embedded.resource_version'),
  status = case when exists (select from bad_organizations bad where bad.name = daemon.name)
    then status || jsonb_build_object('operation',
      jsonb_build_object('id', spec->'operation'->>'id', 'outcome', 'failed', 'reason', 'CrashLoop'))
    else status || jsonb_build_object('observedState', 'running', 'image', spec->>'image',
      'operation', jsonb_build_object('id', spec->'operation'->>'id', 'outcome', 'succeeded')) end
where spec->'operation'->>'id' is distinct from status->'operation'->>'id' and spec->>'desiredState' = 'running'`

function startControlPlane(boot: number) {
  const order = JSON.stringify({ url: database.url.reveal(), executor: `replica:${boot}` })
  const child = spawn(process.execPath, [program, order], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  children.push(child)
  return {
    kill: async () => {
      const over = once(child, 'exit')
      child.kill('SIGKILL')
      await over
    },
  }
}

/** Defines the test of a rollout to a fleet of that size, whose control plane is killed twice. */
export function rolloutSimulation({ size }: { size: number }): void {
  // More members fail than this. Their ids are random and decide the order, so the wave that uses up the budget is
  // random too.
  const failureBudget = Math.floor(size / 200)

  beforeAll(async () => {
    database = await createTestDatabase()
    connection = openDatabase({ url: database.url, log, max: 8 })
  })
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    await connection.close()
    await database.drop()
  })

  test(
    `${size} organizations, 3 % of them with a bad image, two kills: nobody is touched twice`,
    { timeout: 280_000 },
    async () => {
      const { db, pool } = connection
      const store = await createManagedDaemonTable({ pool, clock: systemClock, log })
      await fillFleet(pool, size)
      const stop = new AbortController()
      const operating = (async () => {
        while (!stop.signal.aborted) {
          await pool.query(OPERATE)
          await systemClock.sleep(150)
        }
      })()

      onTestFinished(async () => {
        stop.abort()
        await operating
      })

      const later = { ...systemClock, now: () => new Date(Date.now() + 600_001) }
      const operations = hostedOperations({ db, store, log, clock: later, executor: 'admin:1', wake: async () => {} })
      const wake = async () => {}
      const rollouts = createRollouts({
        db,
        clock: systemClock,
        log,
        store,
        run: operations.run,
        findOperation: operations.find,
        wake,
        resolveImage: async (image) => image,
      })
      const settings = RolloutSettings.parse({
        canary: { count: 5 },
        shares: [10, 50, 100],
        soakSeconds: 0,
        concurrency: CONCURRENCY,
        failureBudget,
      })
      const { id } = await rollouts.create({
        operationId: 'simulation-1',
        image: NEW_IMAGE,
        reason: 'a test',
        actor,
        settings,
      })

      const dead: string[] = []
      const until = async (what: string, reached: (rollout: Awaited<ReturnType<typeof rollouts.find>>) => boolean) => {
        for (let waited = 0; waited < 120_000; waited += 100) {
          // Again in each turn: the database may execute a claim after the death of its executor, and refuses to release
          // claims until it notices that the executor's connection has ended.
          for (const executor of dead) await recoverDead(executor)
          const rollout = await rollouts.find(id)
          if (reached(rollout)) return rollout
          await systemClock.sleep(100)
        }
        throw new Error(`never: ${what}; ${JSON.stringify((await rollouts.find(id)).counts)}`)
      }
      /** What an admin does ten minutes after a crash: release the claims of the dead executor. */
      const recoverDead = async (executor: string) => {
        for (const claim of (await operations.listClaims()).filter((held) => held.executor === executor))
          await operations
            .recover({ orgId: claim.orgId, action: claim.action, expectedOwner: claim.owner, actor })
            .catch(() => {}) // reconciled by its marker meanwhile, or refused as yet
      }

      let plane = startControlPlane(1)
      const stopped = await until('stopped', ({ state, counts }) => state === 'stopped' && counts.rolling === 0)
      expect(stopped).toMatchObject({ stateReason: 'FailureBudgetSpent' })
      const began = stopped.waves.filter(({ total, pending }) => pending < total).length
      expect(began, 'the wave in which the budget was spent is the last that began').toBe(stopped.currentWave + 1)
      expect(stopped.counts.failed).toBeLessThanOrEqual(failureBudget + settings.concurrency)

      await rollouts.resume(id, { actor, reason: 'seen', failureBudget: size })
      await until('a third', ({ counts }) => counts.succeeded > size / 3)
      await plane.kill()
      plane = startControlPlane(2)
      dead.push('replica:1')
      await until('two thirds', ({ counts }) => counts.succeeded > (size * 2) / 3)
      await plane.kill()
      plane = startControlPlane(3)
      dead.push('replica:2')

      const done = await until('succeeded', ({ state, counts }) => state === 'succeeded' && counts.rolling === 0)
      await plane.kill()
      operations.close()

      expect(done.counts).toMatchObject({
        total: size,
        pending: 0,
        stalled: 0,
        failed: (size * BAD_PERCENT) / 100,
        deferred: (size * SLEEPING_PERCENT) / 100,
        succeeded: (size * (100 - BAD_PERCENT - SLEEPING_PERCENT)) / 100,
      })
      const daemons = await store.list()
      const generations = Map.groupBy(daemons, ({ spec }) => `${spec.desiredState} ${spec.relay.keyGeneration}`)
      expect(Object.fromEntries([...generations].map(([key, found]) => [key, found.length]))).toEqual({
        'running 2': (size * (100 - SLEEPING_PERCENT)) / 100,
        'sleeping 1': (size * SLEEPING_PERCENT) / 100,
      })
      const events = await pool.query<{ kind: string; count: number }>(
        'select kind, count(*)::int as count from lifecycle_events group by kind',
      )
      expect(Object.fromEntries(events.rows.map(({ kind, count }) => [kind, count]))).toMatchObject({
        image_roll_started: (size * (100 - SLEEPING_PERCENT)) / 100,
        image_rolled: (size * (100 - BAD_PERCENT - SLEEPING_PERCENT)) / 100,
        image_roll_failed: (size * BAD_PERCENT) / 100,
      })
    },
  )
}
