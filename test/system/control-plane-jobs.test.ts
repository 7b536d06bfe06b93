import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Redis } from 'ioredis'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import {
  createCountersWithSpare,
  createRateLimit,
  createMemoryCounters,
  createRedisCounters,
} from '../../control-plane/src/http/rate-limit.ts'
import { createJobs, type JobHandler, type Jobs } from '../../control-plane/src/jobs/jobs.ts'
import { createPostgresQueue, createRedisQueue, type QueueBackend } from '../../control-plane/src/jobs/queue-backend.ts'
import { startSweeper } from '../../control-plane/src/jobs/sweeper.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { wake } from '../support/wake.ts'

const log = createLog({ service: 'test', level: 'silent' })
let database: TestDatabase
let redis: TestRedis
beforeAll(async () => {
  ;[database, redis] = await Promise.all([createTestDatabase(), startRedis()])
})
afterAll(async () => {
  await redis.stop()
  await database.drop()
})

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})
const open = (backend: QueueBackend): Jobs => {
  const jobs = createJobs({ backend, log })
  cleanups.push(jobs.close)
  return jobs
}

describe.each(['Postgres', 'Redis'])('jobs in %s', (where) => {
  const backend = () =>
    where === 'Redis' ? createRedisQueue(new Secret(redis.url)) : createPostgresQueue(database.url)

  test('wakes reach a worker; wakes of one subject are merged, one that comes while it runs is not lost', async () => {
    const jobs = open(backend())
    const ran: string[] = []
    let release = () => {}
    const busy = new Promise<void>((resolve) => (release = resolve))
    const handler: JobHandler = async (subject) => {
      ran.push(subject)
      if (ran.length === 1) await busy
    }
    await jobs.start({ work: handler })
    await wake(jobs, 'work', 'one')
    await until('the first runs', () => ran.length === 1)
    await Promise.all(Array.from({ length: 10 }, () => wake(jobs, 'work', 'one')))
    release()
    await until('it ran again', () => ran.length >= 2)
    // Jobs run in the order of their wakes: a third run of the first would come before these.
    for (const later of ['two', 'three', 'four']) {
      await wake(jobs, 'work', later)
      await until(`${later} ran`, () => ran.includes(later))
    }
    expect(ran).toEqual(['one', 'one', 'two', 'three', 'four'])
  })

  test('a handler is called again when it asks for it, and a failure harms nobody else', async () => {
    const jobs = open(backend())
    const ran: string[] = []
    await jobs.start({
      again: async (subject) => {
        ran.push(subject)
        return ran.filter((one) => one === subject).length < 3 ? { againInMs: 50 } : undefined
      },
      broken: async () => {
        throw new Error('broken')
      },
    })
    await wake(jobs, 'broken', 'x')
    await wake(jobs, 'nobody-knows-this-kind', 'x')
    await wake(jobs, 'again', 'three')
    await until('three times', () => ran.length === 3)
  })

  test('what two processes wake is worked on by either', async () => {
    const [one, other] = [open(backend()), open(backend())]
    const ran = new Set<string>()
    const handler: JobHandler = async (subject) => void ran.add(subject)
    await Promise.all([one.start({ work: handler }), other.start({ work: handler })])
    const subjects = Array.from({ length: 20 }, (_, index) => `subject-${index}`)
    await Promise.all(subjects.map((subject, index) => wake(index % 2 ? one : other, 'work', subject)))
    await until('all ran', () => ran.size === 20)
  })
})

test('the sweeper wakes what is unfinished, also after a source has failed', async () => {
  const woken: string[] = []
  let pending = ['a', 'b']
  let time = 0
  const naps: (() => void)[] = []
  const clock = {
    now: () => new Date(time),
    monotonic: () => time,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason))
        naps.push(resolve)
      }),
  }
  const stop = startSweeper({
    sources: [
      { kind: 'broken', listUnfinished: () => Promise.reject(new Error('the database is away')) },
      { kind: 'work', listUnfinished: async () => pending },
    ],
    wake: async (kind, subject) => void woken.push(`${kind} ${subject}`),
    clock,
    log,
  })
  await until('the first sweep is over', () => naps.length === 1)
  expect(woken).toEqual(['work a', 'work b'])
  pending = ['b']
  time += 30_000
  naps[0]?.()
  await until('the second sweep is over', () => naps.length === 2)
  expect(woken).toEqual(['work a', 'work b', 'work b'])
  await stop()
})

test('a producer fails at once while Redis is away, and works again when it is back', async () => {
  const own = await startRedis()
  const jobs = createJobs({ backend: createRedisQueue(new Secret(own.url)), log })
  try {
    await wake(jobs, 'work', 'before')
    await own.kill()
    // `wake` fails at once: it does not wait for Redis, which starts only after this.
    await expect(jobs.wake('work', 'meanwhile')).rejects.toThrow()
    await own.start()
    await until('it works again', () =>
      jobs.wake('work', 'after').then(
        () => true,
        () => false,
      ),
    )
  } finally {
    await jobs.close()
    await own.stop()
  }
})

test('replicas share their limits in Redis', async () => {
  const clients = [new Redis(redis.url), new Redis(redis.url)]
  try {
    const [one, other] = clients.map((client) => createRateLimit(createRedisCounters(client)))
    await until('both reach Redis', () => clients.every(({ status }) => status === 'ready'))
    const call = { key: 'shared', client: '203.0.113.1', max: 3, seconds: 60 }
    await Promise.all([one!(call), other!(call), one!(call)])
    const refused = await other!(call).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'too_many_requests' })
    const { retryAfterSeconds } = refused as { retryAfterSeconds: number }
    expect([retryAfterSeconds > 0, retryAfterSeconds <= 60], String(retryAfterSeconds)).toEqual([true, true])
  } finally {
    for (const client of clients) client.disconnect()
  }
})

test('limits are counted by each replica while Redis is away', async () => {
  const own = await startRedis()
  const client = new Redis(own.url, { enableOfflineQueue: false, maxRetriesPerRequest: 1 })
  client.on('error', () => {})
  try {
    const limit = createRateLimit(
      createCountersWithSpare(createRedisCounters(client), createMemoryCounters(systemClock)),
    )
    const call = { key: 'spare', client: '203.0.113.1', max: 2, seconds: 60 }
    await until('Redis is reached', () => client.status === 'ready')
    await limit(call)
    await own.kill()
    await Promise.all([limit(call), limit(call)])
    await expect(limit(call)).rejects.toMatchObject({ code: 'too_many_requests' })
  } finally {
    client.disconnect()
    await own.stop()
  }
})
