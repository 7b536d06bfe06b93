import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Redis } from 'ioredis'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { createOrgLimits, type Admission } from '../../control-plane/src/limits/org-limits.ts'
import { divideLimit } from '../../control-plane/src/limits/org-permits.ts'
import { defaultOrgLimits } from '../../control-plane/src/limits/org-use.ts'
import { createRedisUseLedger } from '../../control-plane/src/limits/use-ledger.ts'
import { verifies } from '../requirements.ts'
import { seededRandom } from '../support/hostile-text.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

// Replicas that admit requests of one organization and share a real Redis. Each replica owns one permit.
const LIMIT = 64
const LEASE_MS = 1_500
const { own, pool } = divideLimit(LIMIT, 'shared')
const settings = { ...defaultOrgLimits, concurrent: LIMIT }
const ORG = 'org_test'
const PEOPLE = Array.from({ length: LIMIT }, (_, i) => `usr_${i}`)

let redis: TestRedis
/** The number of replicas that each replica knows of. */
let known = 3
beforeAll(async () => {
  redis = await startRedis()
})
afterEach(() => void (known = 3))
afterAll(() => redis?.stop())

function startAdmitting() {
  const connection = new Redis(redis.url, { maxRetriesPerRequest: 0, retryStrategy: () => 50, commandTimeout: 500 })
  connection.on('error', () => {})
  const limits = createOrgLimits({
    settingsOf: () => settings,
    leaseMs: LEASE_MS,
    queued: { of: () => 0, ofPerson: () => 0 },
    replicas: () => known,
    ledger: createRedisUseLedger({
      redis: connection,
      replicaId: randomUUID(),
      leaseMs: LEASE_MS,
    }),
    clock: systemClock,
    log: createLog({ service: 'test', level: 'silent' }),
  })
  limits.start()
  const open: Admission[] = []
  const leave = (admission: Admission | undefined) => {
    if (admission === undefined) return
    admission.leave()
    open.splice(open.indexOf(admission), 1)
  }
  return {
    open,
    leave,
    /** Opens a request; returns false if it is refused. */
    enter: async (person: string): Promise<boolean> => {
      try {
        const admission: Admission = await limits.enter({ orgId: ORG, person, end: () => leave(admission) })
        open.push(admission)
        return true
      } catch (error) {
        if (isFailure(error)) return false
        throw error
      }
    },
    /** Ends as a crash does: the requests are gone, and no permit is given back. */
    kill: async () => {
      connection.disconnect()
      open.length = 0
      await limits.close()
    },
    stop: async () => {
      while (open.length > 0) leave(open[0])
      await limits.close()
      connection.disconnect()
    },
  }
}
type Replica = ReturnType<typeof startAdmitting>
const sum = (replicas: Replica[]) => replicas.reduce((total, { open }) => total + open.length, 0)

/**
 * Repeats `fill` until this many requests are open: a replica that Redis did not answer in time gets more permits
 * later.
 */
const filled = (count: number, ...replicas: Replica[]) =>
  until(`${count} are open`, async () => (await fill(...replicas)) === count)

/** Opens requests at all replicas until none is admitted for longer than a lease. */
async function fill(...replicas: Replica[]): Promise<number> {
  for (let gotAt = performance.now(); performance.now() - gotAt < 1.5 * LEASE_MS;) {
    for (const replica of replicas) for (const one of PEOPLE) if (await replica.enter(one)) gotAt = performance.now()
    expect(sum(replicas)).toBeLessThanOrEqual(LIMIT)
    await systemClock.sleep(20)
  }
  return sum(replicas)
}

test('one replica comes to its own permits and all of the pool, and another then has its own alone', async () => {
  verifies('relay.permits')
  const [near, far] = [startAdmitting(), startAdmitting()]
  await filled(own + pool, near)
  await filled(2 * own + pool, near, far)
  for (const admission of near.open.slice(0, 10)) near.leave(admission)
  await until('what one gave back, the other may use', async () => {
    await far.enter('usr_0')
    return far.open.length > own
  })
  await near.stop()
  await far.stop()
})

test('while Redis is away a replica keeps what it borrowed for the time of its lease, and no longer', async () => {
  const [near, far] = [startAdmitting(), startAdmitting()]
  await filled(own + pool, near)
  await redis.kill()
  expect(await far.enter('usr_0')).toBe(true)
  expect(await far.enter('usr_1')).toBe(false)
  await until('what cannot be kept is ended', () => near.open.length === own)
  await redis.start()
  await filled(2 * own + pool, near, far)
  await near.stop()
  await far.stop()
})

test('beyond sixteen replicas, all permits come from the pool, those of open requests included', async () => {
  verifies('relay.permits')
  const [near, far] = [startAdmitting(), startAdmitting()]
  await filled(2 * own + pool, near, far)
  known = 17
  await until('what the pool does not have is ended', () => sum([near, far]) <= pool)
  // A replica that Redis did not answer in time has ended more than that.
  await filled(pool, near, far)
  expect(await fill(near, far)).toBeLessThanOrEqual(pool)
  await near.stop()
  await far.stop()
})

test('there are never more requests open than the limit, whatever happens to replicas and to Redis', async () => {
  verifies('relay.permits')
  const random = seededRandom(7)
  const control = new Redis(redis.url, { maxRetriesPerRequest: null, retryStrategy: () => 50 })
  control.on('error', () => {})
  const replicas = [startAdmitting(), startAdmitting(), startAdmitting()]
  const misfortunes = [
    async () => {
      const [lost] = replicas.splice(random.below(replicas.length), 1)
      await lost!.kill()
      replicas.push(startAdmitting())
    },
    async () => {
      await redis.kill()
      await redis.start()
    },
    async () => void (await control.flushall()),
    async () => {
      await redis.kill()
      await systemClock.sleep(LEASE_MS * 1.2)
      await redis.start()
    },
  ]
  let most = 0
  const live = async (ms: number) => {
    for (const endAt = performance.now() + ms; performance.now() < endAt;) {
      const burst = Array.from({ length: 30 }, async () => {
        await random.pick(replicas).enter(random.pick(PEOPLE))
        most = Math.max(most, sum(replicas))
      })
      await Promise.all(burst)
      for (let i = 0; i < 12; i += 1) {
        const { open, leave } = random.pick(replicas)
        if (open.length > 0) leave(random.pick(open))
      }
      await systemClock.sleep(5)
    }
  }
  for (const misfortune of misfortunes) {
    await live(1.5 * LEASE_MS)
    await Promise.all([misfortune(), live(1.5 * LEASE_MS)])
  }
  expect(most).toBeLessThanOrEqual(LIMIT)
  expect(most).toBeGreaterThan(pool / 2)
  control.disconnect()
  for (const replica of replicas) await replica.stop()
})
