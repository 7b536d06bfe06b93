import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Redis } from 'ioredis'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { createRedisDirectory } from '../../control-plane/src/replicas/redis-directory.ts'
import { verifies } from '../requirements.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { startRedisProxy } from '../support/redis-proxy.ts'
import { until } from '../support/until.ts'

// Two replicas share a real Redis. One of them reaches it through a proxy that can leave its subscription unanswered.
let redis: TestRedis
let proxy: Awaited<ReturnType<typeof startRedisProxy>>
let teller: ReturnType<typeof connectTo>
/** A rejection that nobody handles ends the process of a replica. */
const unhandled: unknown[] = []
const note = (reason: unknown) => void unhandled.push(reason)

beforeAll(async () => {
  redis = await startRedis()
  proxy = await startRedisProxy(redis.url)
  teller = connectTo(redis.url, 'teller')
  process.on('unhandledRejection', note)
})
afterEach(() => {
  expect(unhandled.splice(0)).toEqual([])
})
afterAll(async () => {
  process.off('unhandledRejection', note)
  await teller?.close()
  proxy?.close()
  await redis?.stop()
})

function connectTo(url: string, replicaId: string) {
  const client = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 500,
    retryStrategy: () => 50,
  })
  client.on('error', () => {})
  const log = createLog({ service: 'test', level: 'silent' })
  const own = { redis: client, replicaId, url: `http://${replicaId}.test`, tunnelCount: undefined }
  const directory = createRedisDirectory({ ...own, clock: systemClock, log })
  let heard = 0
  directory.onChange(() => (heard += 1))
  return {
    directory,
    heard: () => heard,
    close: async () => {
      await directory.close()
      client.disconnect()
    },
  }
}

/** Changes the directory until the other replica hears of it. */
async function untilHeard({ heard }: ReturnType<typeof connectTo>) {
  const before = heard()
  await until('the other replica hears of a change', async () => {
    await teller.directory.remove('org_a', 'gone').catch(() => {})
    return heard() > before
  })
}

/** A replica that hears of changes through the proxy. */
async function startReplica() {
  const replica = connectTo(proxy.url, 'replica')
  await replica.directory.start()
  await untilHeard(replica)
  return replica
}

test('a replica whose new subscription gets no answer subscribes again, and hears of changes', async () => {
  verifies('relay.redis-lost')
  const replica = await startReplica()

  const answerAgain = proxy.holdSubscriptions()
  const before = proxy.held()
  proxy.cutSubscribers()
  await until('it has subscribed twice in vain', () => proxy.held() >= before + 2)
  answerAgain()
  await untilHeard(replica)
  await replica.close()
})

test('a replica whose new subscription is refused stays, and subscribes on the next connection', async () => {
  const admin = new Redis(redis.url)
  const replica = await startReplica()

  await admin.call('ACL', 'SETUSER', 'default', '-subscribe')
  proxy.cutSubscribers()
  const refusals = async () => ((await admin.call('ACL', 'LOG')) as unknown[]).length
  await until('Redis has refused the new one', async () => (await refusals()) > 0)
  await admin.call('ACL', 'SETUSER', 'default', '+subscribe')
  proxy.cutSubscribers()
  await untilHeard(replica)
  await replica.close()
  admin.disconnect()
})

test('a replica that stops while its subscription is unanswered stops without an error', async () => {
  const replica = await startReplica()

  const answerAgain = proxy.holdSubscriptions()
  const before = proxy.held()
  proxy.cutSubscribers()
  await until('it has subscribed', () => proxy.held() > before)
  await replica.close()
  await until('its connections are closed', () => proxy.subscribers() === 0)
  answerAgain()
})
