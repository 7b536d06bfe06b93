import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { Redis } from 'ioredis'
import { verifies } from '../requirements.ts'
import { startLoad } from '../support/constant-load.ts'
import { startLoadBalancer, type LoadBalancer } from '../support/load-balancer.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { startDaemon, startReplica, type RelayHarness } from '../support/relay-replica.ts'
import { prepareReplica, type ReplicaProcess } from '../support/replica-process.ts'
import { until } from '../support/until.ts'

// One replica holds every tunnel; then two more come. Replicas are processes of their own, behind balancers.
const DAEMONS = 6
const WORKERS = 6
let database: TestDatabase
let redis: TestRedis
let office: RelayHarness
let gateway: LoadBalancer
let dialIn: LoadBalancer
let replicas: ReplicaProcess[]
let settings: Record<string, string>
let directory: Redis
let daemons: { host: string; origin: string; cookie: string; orgId: string; close(): Promise<void> }[] = []

/** The replica of each tunnel of an organization, as the directory has it. */
async function holdersOf(orgId: string): Promise<string[]> {
  const fields = Object.entries(await directory.hgetall(`svc:tunnels:${orgId}`))
  return fields
    .filter(([name]) => name.startsWith('c:'))
    .map(([, value]) => (JSON.parse(value.slice(value.indexOf(' ') + 1)) as { replicaId: string }).replicaId)
}
const spreadOf = async () => Promise.all(daemons.map(async ({ orgId }) => new Set(await holdersOf(orgId)).size))

beforeAll(async () => {
  redis = await startRedis()
  directory = new Redis(redis.url)
  database = await createTestDatabase()
  replicas = await Promise.all(['a', 'b', 'c'].map(prepareReplica))
  const backends = (kind: 'gateway' | 'dialIn') =>
    replicas.map(({ name, ports }) => ({ name, port: ports[kind], readyPort: ports.internal }))
  gateway = await startLoadBalancer(backends('gateway'))
  dialIn = await startLoadBalancer(backends('dialIn'))
  const addresses = {
    baseUrl: `http://localhost:${gateway.port}`,
    vaultOriginTemplate: `http://{label}.localhost:${gateway.port}`,
  }
  settings = {
    BASE_URL: addresses.baseUrl,
    VAULT_ORIGIN_TEMPLATE: addresses.vaultOriginTemplate,
    DATABASE_URL: database.url.reveal(),
    REDIS_URL: redis.url,
  }
  await replicas[0]!.start(settings)
  office = await startReplica(database.url, { ...addresses, level: 'warn' })
  daemons = await Promise.all(Array.from({ length: DAEMONS }, startDaemonOfNewOrganization))
  await until('each daemon has two tunnels, both at the only replica', async () => {
    const held = await Promise.all(daemons.map(({ orgId }) => holdersOf(orgId)))
    return held.every(({ length }) => length === 2)
  })
  expect(await spreadOf()).toEqual(Array(DAEMONS).fill(1))
})

async function startDaemonOfNewOrganization() {
  const org = await office.makeOrganization()
  const daemon = await startDaemon({ port: dialIn.port, log: office.log }, org, (request, response) => {
    request.resume().once('end', () => setTimeout(() => response.end('from the daemon'), 20))
  })
  const person = await office.makePerson(org.orgId)
  const cookie = await office.enter({ orgId: org.orgId, person, vault: 'demo-vault' })
  return { ...org, cookie, close: daemon.close }
}

afterAll(async () => {
  await Promise.all(daemons.map((daemon) => daemon.close()))
  await Promise.all((replicas ?? []).map((replica) => replica.kill()))
  gateway?.close()
  dialIn?.close()
  await office?.close()
  directory?.disconnect()
  await database?.drop()
  await redis?.stop()
})

test('when replicas are added, every daemon comes to hold tunnels on two of them, and no request fails', async () => {
  verifies('relay.rebalance')
  onTestFailed(() => replicas.forEach(({ name, output }) => console.log(`--- ${name}\n${output().slice(-3_000)}`)))
  const running = startLoad({ port: gateway.port, people: daemons, workers: WORKERS, pauseMs: 20 })
  const addedAt = systemClock.monotonic()
  await Promise.all(replicas.slice(1).map((replica) => replica.start(settings)))
  await until('every daemon is on two replicas', async () => (await spreadOf()).every((count) => count >= 2), {
    withinMs: 90_000,
  })
  const seconds = Math.round((systemClock.monotonic() - addedAt) / 1000)
  // The tunnels that were left close once their requests are done.
  await until('each daemon has two tunnels again', async () => {
    const held = await Promise.all(daemons.map(({ orgId }) => holdersOf(orgId)))
    return held.every((holders) => holders.length === 2 && new Set(holders).size === 2)
  })
  await running.stop()
  console.log(`rebalance: spread after ${seconds} s, ${running.done()} requests`)
  expect(running.failures).toEqual([])
  expect(running.done()).toBeGreaterThan(100)
})
