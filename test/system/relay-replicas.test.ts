import { request } from 'node:http'
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../requirements.ts'
import { startLoad } from '../support/constant-load.ts'
import { slowLine, startLoadBalancer, type LoadBalancer } from '../support/load-balancer.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { startReplica, type RelayHarness } from '../support/relay-replica.ts'
import { prepareReplica, type ReplicaProcess } from '../support/replica-process.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

// Three replicas, two daemons and Redis, all of them processes. Daemons dial over a slow line; people come through a
// load balancer.
const WORKERS = 6
let database: TestDatabase
let redis: TestRedis
let office: RelayHarness
let gateway: LoadBalancer
let dialIn: LoadBalancer
let replicas: ReplicaProcess[]
let settings: Record<string, string>
let daemons: { svcd: Svcd; host: string; origin: string; cookie: string; orgId: string }[]

/** The number of tunnels that a replica holds, from its metrics; 0 if the replica does not respond. */
const tunnelsOf = async ({ ports }: ReplicaProcess): Promise<number> => {
  const text = await new Promise<string>((resolve) => {
    const asked = request({ host: '127.0.0.1', port: ports.internal, path: '/metrics', agent: false }, (answer) => {
      let all = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => (all += chunk))
      answer.once('end', () => resolve(all))
    })
    asked.on('error', () => resolve(''))
    asked.end()
  })
  return Number(/^svc_relay_tunnels (\d+)$/m.exec(text)?.[1] ?? 0)
}
const countTunnels = async () => (await Promise.all(replicas.map(tunnelsOf))).reduce((sum, count) => sum + count, 0)

const load = () => startLoad({ port: gateway.port, people: daemons, workers: WORKERS, pauseMs: 20 })
const explain = () =>
  onTestFailed(() => {
    for (const { name, output } of replicas) console.log(`--- ${name}\n${output().slice(-3_000)}`)
    for (const { svcd } of daemons) console.log(`--- svcd\n${svcd.output().slice(-3_000)}`)
  })

beforeAll(async () => {
  redis = await startRedis()
  database = await createTestDatabase()
  replicas = await Promise.all(['a', 'b', 'c'].map(prepareReplica))
  const backends = (kind: 'gateway' | 'dialIn') =>
    replicas.map(({ name, ports }) => ({ name, port: ports[kind], readyPort: ports.internal }))
  gateway = await startLoadBalancer(backends('gateway'))
  const line = slowLine({ minMs: 50, maxMs: 200, stallMs: 400, stallEveryMs: 4_000 })
  dialIn = await startLoadBalancer(backends('dialIn'), line)
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
  await Promise.all(replicas.map((replica) => replica.start(settings)))

  office = await startReplica(database.url, addresses)
  daemons = await Promise.all([0, 1].map(startDaemonOfNewOrganization))
  await until('each daemon has two tunnels', async () => (await countTunnels()) === 4)
})

async function startDaemonOfNewOrganization() {
  const { orgId, apiKey, host, origin } = await office.makeOrganization()
  const svcd = await startSvcd({
    env: { SVC_RELAY_URL: `http://127.0.0.1:${dialIn.port}/t/${orgId}`, SVC_RELAY_TOKEN: apiKey },
  })
  const cookie = await office.enter({ orgId, person: await office.makePerson(orgId), vault: 'demo-vault' })
  return { svcd, host, origin, cookie, orgId }
}

afterAll(async () => {
  for (const { svcd } of daemons ?? []) await svcd.remove()
  await Promise.all((replicas ?? []).map((replica) => replica.kill()))
  gateway?.close()
  dialIn?.close()
  await office?.close()
  await database?.drop()
  await redis?.stop()
})

test('each daemon holds two tunnels, to different replicas', async () => {
  for (const { svcd } of daemons) {
    // Over the slow line, a replica counts a tunnel before the daemon knows of it, so ask the daemon.
    const met = () => [...svcd.output().matchAll(/"replicaId":"([^"]+)".*connected to the relay/g)].map(([, id]) => id)
    // A tunnel that was lost may have come back to the third replica.
    await until('the daemon has met two replicas', () => new Set(met()).size >= 2)
  }
})

test('a rolling restart of all replicas fails no request', async () => {
  verifies('relay.drain')
  explain()
  const running = load()
  await systemClock.sleep(1_000)
  for (const replica of replicas) {
    expect(await replica.stop()).toBe(0)
    await replica.start(settings)
    await systemClock.sleep(1_000)
  }
  await until('it was asked often', () => running.done() > 100)
  await running.stop()
  console.log(`rolling restart: ${running.done()} requests, slowest ${Math.round(running.slowestMs())} ms`)
  expect(running.failures).toEqual([])
  await until('each daemon has two tunnels again', async () => (await countTunnels()) === 4)
})

test('a crash and restart of Redis fails no request, and the directory is rebuilt', async () => {
  verifies('relay.redis-lost')
  explain()
  const running = load()
  await systemClock.sleep(1_500)
  await redis.kill()
  await systemClock.sleep(3_000)
  await redis.start()
  await systemClock.sleep(3_000)
  await running.stop()
  console.log(`Redis restart: ${running.done()} requests, slowest ${Math.round(running.slowestMs())} ms`)
  expect(running.failures).toEqual([])
  for (const { orgId } of daemons)
    await until('the directory knows both tunnels', async () => (await redis.fieldsOf(`svc:tunnels:${orgId}`)) >= 4)
})

test('a killed replica fails its in-flight requests alone; the rest recover within 3 s', async () => {
  verifies('relay.replica-lost')
  explain()
  const running = load()
  await systemClock.sleep(2_000)
  const before = running.failures.length
  const killedAt = systemClock.monotonic()
  await replicas[0]!.kill()
  await systemClock.sleep(6_000)
  await running.stop()
  const failed = running.failures.slice(before)
  console.log(`kill: ${running.done()} requests, failed ${JSON.stringify(failed)}`)

  expect(before).toBe(0)
  expect(failed.length).toBeLessThanOrEqual(WORKERS)
  // On a busy machine everything takes longer, as the slowest request shows.
  const recoveredMs = killedAt + 3_000 + running.slowestMs()
  expect(failed.filter(({ startedMs }) => startedMs > recoveredMs)).toEqual([])
  await replicas[0]!.start(settings)
  await until('each daemon has two tunnels again', async () => (await countTunnels()) === 4)
})
