import { expect, onTestFailed, onTestFinished, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { Redis } from 'ioredis'
import { verifies } from '../requirements.ts'
import { startLoad } from '../support/constant-load.ts'
import { startLoadBalancer } from '../support/load-balancer.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { startRedis } from '../support/redis.ts'
import { startDaemon, startReplica } from '../support/relay-replica.ts'
import { prepareReplica } from '../support/replica-process.ts'
import { PATIENCE_MS, until } from '../support/until.ts'

const WORKERS = 6
/** A move needs a steady time of ten seconds, and thirty seconds more after each one that failed. */
const MOVES = { withinMs: 3 * PATIENCE_MS }
/** Enough for the moves and for the other waits. */
const TEST_MS = 7 * PATIENCE_MS

/**
 * One replica that holds all tunnels of the given number of daemons; `add` starts the other replicas. All are
 * processes.
 */
async function startWorld({ daemons, tunnels, replicas }: { daemons: number; tunnels: number; replicas: number }) {
  const redis = await startRedis()
  onTestFinished(redis.stop)
  const database = await createTestDatabase()
  onTestFinished(database.drop)
  const prepared = await Promise.all(Array.from({ length: replicas }, (_, i) => prepareReplica(`replica ${i}`)))
  onTestFinished(async () => void (await Promise.all(prepared.map((replica) => replica.kill()))))
  onTestFailed(() => prepared.forEach(({ name, output }) => console.log(`--- ${name}\n${output().slice(-3_000)}`)))
  const [first, ...others] = prepared

  const balance = async (kind: 'gateway' | 'dialIn') => {
    const places = prepared.map(({ name, ports }) => ({ name, port: ports[kind], readyPort: ports.internal }))
    const balancer = await startLoadBalancer(places)
    onTestFinished(balancer.close)
    return balancer.port
  }
  const gateway = await balance('gateway')
  const dialIn = await balance('dialIn')
  const baseUrl = `http://localhost:${gateway}`
  const vaultOriginTemplate = `http://{label}.localhost:${gateway}`
  const settings = {
    BASE_URL: baseUrl,
    VAULT_ORIGIN_TEMPLATE: vaultOriginTemplate,
    DATABASE_URL: database.url.reveal(),
    REDIS_URL: redis.url,
    TUNNELS_PER_DAEMON: String(tunnels),
  }
  await first!.start(settings)

  const office = await startReplica(database.url, { baseUrl, vaultOriginTemplate, level: 'warn' })
  onTestFinished(office.close)
  const people = await Promise.all(
    Array.from({ length: daemons }, async () => {
      const org = await office.makeOrganization()
      const daemon = await startDaemon({ port: dialIn, log: office.log }, org, (request, response) => {
        request.resume().once('end', () => setTimeout(() => response.end('from the daemon'), 20))
      })
      onTestFinished(daemon.close)
      const person = await office.makePerson(org.orgId)
      return { ...org, cookie: await office.enter({ orgId: org.orgId, person, vault: 'demo-vault' }) }
    }),
  )

  const directory = new Redis(redis.url)
  onTestFinished(() => directory.disconnect())
  /** The replica of each tunnel of each daemon, from the directory. */
  const holders = async (): Promise<string[][]> => {
    const hashes = await Promise.all(people.map(({ orgId }) => directory.hgetall(`svc:tunnels:${orgId}`)))
    const entries = hashes.map((hash) => Object.entries(hash).filter(([name]) => name.startsWith('c:')))
    return entries.map((all) =>
      all.map(([, value]) => (JSON.parse(value.slice(value.indexOf(' ') + 1)) as { replicaId: string }).replicaId),
    )
  }
  await until('every daemon has its tunnels', async () => (await holders()).every(({ length }) => length === tunnels))
  expect(new Set((await holders()).flat()).size).toBe(1)

  return {
    holders,
    /** The tunnels that daemons left because they stop, by the metrics of each replica. */
    left: async () => {
      const texts = await Promise.all(
        prepared.map(async ({ ports }) => (await fetch(`http://127.0.0.1:${ports.internal}/metrics`)).text()),
      )
      return texts.map((text) => Number(/^svc_relay_tunnels_left_total (\d+)$/m.exec(text)?.[1]))
    },
    load: () => startLoad({ port: gateway, people, workers: WORKERS, pauseMs: 20 }),
    add: () => Promise.all(others.map((replica) => replica.start(settings))),
  }
}

const ADDED = 'when replicas are added, every daemon comes to hold tunnels on two of them, and no request fails'
test(ADDED, { timeout: TEST_MS }, async () => {
  verifies('relay.rebalance')
  const { holders, left, load, add } = await startWorld({ daemons: 6, tunnels: 2, replicas: 3 })
  const running = load()
  await add()
  const addedAt = systemClock.monotonic()
  const areSpread = async () => (await holders()).every((at) => new Set(at).size >= 2)
  await until('every daemon is on two replicas', areSpread, MOVES)
  const seconds = Math.round((systemClock.monotonic() - addedAt) / 1000)
  await until('the tunnels that were left are closed', async () =>
    (await holders()).every((at) => at.length === 2 && new Set(at).size === 2),
  )
  await until('it was asked often', () => running.done() > 100)
  await running.stop()
  expect(await left()).toEqual([0, 0, 0])
  console.log(`rebalance: spread after ${seconds} s, ${running.done()} requests`)
  expect(running.failures).toEqual([])
})

const FULLER = 'a replica that holds far more tunnels than another gives some away, and no request fails'
test(FULLER, { timeout: TEST_MS }, async () => {
  verifies('relay.rebalance')
  const { holders, load, add } = await startWorld({ daemons: 11, tunnels: 1, replicas: 2 })
  const running = load()
  await add()
  // With eleven tunnels the mean is 5.5, and up to nine on one replica are tolerated.
  const twoHaveGone = async () => {
    const at = (await holders()).flat()
    const loads = Object.values(Object.groupBy(at, (id) => id)).map((all) => all!.length)
    return at.length === 11 && loads.length === 2 && Math.max(...loads) <= 9
  }
  await until('two have gone to the other', twoHaveGone, MOVES)
  await running.stop()
  expect(running.failures).toEqual([])
})
