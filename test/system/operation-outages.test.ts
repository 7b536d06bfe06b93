import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { createAudit } from '../../control-plane/src/audit/audit.domain.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { migrate } from '../../control-plane/src/db/migrator.ts'
import { createJobs } from '../../control-plane/src/jobs/jobs.ts'
import { createRedisQueue } from '../../control-plane/src/jobs/queue-backend.ts'
import { EXECUTE_OPERATION } from '../../control-plane/src/operations/operation-engine.ts'
import { startPostgres } from '../../embedded/database/postgres.ts'
import { verifies } from '../requirements.ts'
import { hostedOperations } from '../support/hosted-operations.ts'
import { hostedWorld, IMAGES, runningOrganization, type HostedWorld } from '../support/hosted-world.ts'
import { startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { wake } from '../support/wake.ts'
import { removeFolder } from '../support/remove-folder.ts'

const log = createLog({ service: 'test', level: 'fatal' })
const actor = { kind: 'user', id: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa' } as const
const NEW_IMAGE = `${IMAGES}@sha256:${'2'.repeat(64)}`

let dataDir: string
let server: Awaited<ReturnType<typeof startPostgres>>
let url: Secret
let world: HostedWorld

const start = async () => {
  server = await startPostgres({ folder: dataDir, log, clock: systemClock })
  url = await server.database('outages')
}
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-outages-'))
  await chmod(dataDir, 0o711)
  await start()
  const { db, close } = openDatabase({ url, log, max: 1 })
  await migrate(db)
  await close()
  world = await hostedWorld({ url })
})
afterAll(async () => {
  await world.close()
  await server.stop()
  await removeFolder(dataDir)
})

const requestFor = (orgId: string, operationId: string) =>
  ({ operationId, action: 'image_roll', orgId, actor, reason: 'a test', input: { image: NEW_IMAGE } }) as const

const generationOf = async (orgId: string) =>
  (await world.store.find(managedDaemonName(orgId)))?.spec.relay.keyGeneration

test('Postgres restarted in the middle: the same ids end everything exactly once', async () => {
  verifies('operation.retryable', 'operation.success-replayed')
  const organizations = await Promise.all(Array.from({ length: 6 }, () => runningOrganization(world)))
  // Every operation is held at its first change of the resource until Postgres has stopped. Half of them lose the change
  // then, the other half only the response to it.
  const stopped = Promise.withResolvers<void>()
  let changes = 0
  let held = 0
  let failed = 0
  const patchSpec: ManagedDaemonStore['patchSpec'] = async (...patch) => {
    if (changes >= organizations.length) return world.store.patchSpec(...patch)
    changes += 1
    if (changes % 2 === 0) await world.store.patchSpec(...patch)
    held += 1
    await stopped.promise
    return world.store.patchSpec(...patch).catch((error: unknown) => {
      failed += 1
      throw error
    })
  }
  const operations = hostedOperations({ ...world, store: { ...world.store, patchSpec }, executor: 'test:1' })
  onTestFinished(() => {
    stopped.resolve()
    operations.close()
  })
  /** Repeats a request as a client does, until the response is an outcome. */
  const insist = async (orgId: string, index: number): Promise<string> => {
    let answer = ''
    await until(`${orgId} has an outcome`, async () => {
      answer = await operations.run(requestFor(orgId, `restart-${index}-op`), { waitMs: 2_000 }).catch(() => '')
      return answer !== ''
    })
    return answer
  }
  const asked = organizations.map(({ orgId }, index) => insist(orgId, index))
  await until('all are in the middle', () => held === organizations.length)
  await server.stop()
  stopped.resolve()
  await until('each has failed', () => failed === organizations.length)
  await start()

  const answers = await Promise.all(asked)
  for (const [index, { orgId }] of organizations.entries()) {
    expect(JSON.parse(answers[index]!)).toMatchObject({ ok: true, orgId, image: NEW_IMAGE })
    expect(await operations.run(requestFor(orgId, `restart-${index}-op`))).toBe(answers[index])
    expect(await generationOf(orgId)).toBe(2)
    const kinds = (await world.events.list(orgId, 50, undefined))
      .filter(({ operationId }) => operationId === `restart-${index}-op`)
      .map(({ kind }) => kind)
    expect(kinds.toSorted()).toEqual(['image_roll_started', 'image_rolled', 'key_rotated'])
  }
  const audit = createAudit({ db: world.db, clock: systemClock, log, secret: new Secret('the secret of this test') })
  expect(await audit.verify()).toMatchObject({ broken: [] })
})

test('after a flush of Redis in the middle, the sweep finds everything', async () => {
  const redis = await startRedis()
  const jobs = createJobs({ backend: createRedisQueue(new Secret(redis.url)), log })
  const late = { ...systemClock, now: () => new Date(Date.now() + 5_000) }
  const wakeOperation = (operationId: string) => wake(jobs, EXECUTE_OPERATION, operationId)
  const operations = hostedOperations({ ...world, executor: 'test:2', wake: wakeOperation })
  const sweeper = hostedOperations({ ...world, executor: 'test:3', wake: wakeOperation, clock: late })
  try {
    const { orgId } = await runningOrganization(world)
    const request = requestFor(orgId, 'flushed-operation')
    const early = await operations.run(request, { waitMs: 0 }).catch((error: { code: string }) => error.code)
    expect(early).toBe('operation_in_progress')

    const client = new Redis(redis.url)
    await until('the wake has arrived', async () => (await client.keys('svc:*:wait')).length > 0)
    await client.flushall()
    client.disconnect()
    const executed: string[] = []
    await jobs.start({
      [EXECUTE_OPERATION]: (operationId, signal) => {
        executed.push(operationId)
        return operations.execute(operationId, signal)
      },
    })
    await wakeOperation('a later one')
    await until('the queue has come to what was woken later', () => executed.includes('a later one'))
    expect(executed).toEqual(['a later one'])
    expect((await operations.find(request.operationId))?.state).toBe('requested')

    await sweeper.sweep()
    expect(JSON.parse(await operations.run(request))).toMatchObject({ ok: true, image: NEW_IMAGE })
    expect(await generationOf(orgId)).toBe(2)
  } finally {
    operations.close()
    sweeper.close()
    await jobs.close()
    await redis.stop()
  }
})
