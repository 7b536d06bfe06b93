// Thousands of daemons lose their replica at once: how evenly and how soon two other replicas get them.
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { openDatabase } from '../control-plane/src/db/database.ts'
import { startLoadBalancer } from '../test/support/load-balancer.ts'
import { startRedis } from '../test/support/redis.ts'
import { prepareReplica, type ReplicaProcess } from '../test/support/replica-process.ts'
import { startBenchDatabase } from './bench-database.ts'
import { insertOrganizations } from './herd/organizations.ts'
import { printTable } from './rounds.ts'

const { values } = parseArgs({
  options: { daemons: { type: 'string', default: '5000' }, rate: { type: 'string', default: '100' } },
})
const daemons = Number(values.daemons)
const rate = Number(values.rate)
const PROCESSES = 2
const SAMPLE_MS = 250
const FILL_RATE = 400
const PATIENCE_MS = 120_000

const log = createLog({ service: 'bench', level: 'error' })
const database = await startBenchDatabase({ max_connections: '100' })
const { db, close } = openDatabase({ url: database.url, log, max: 4 })
const redis = await startRedis()
const replicas = await Promise.all(['a', 'b', 'c'].map(prepareReplica))
const [first, ...others] = replicas as [ReplicaProcess, ...ReplicaProcess[]]
const balancer = await startLoadBalancer(
  replicas.map(({ name, ports }) => ({ name, port: ports.dialIn, readyPort: ports.internal })),
)
const settings = {
  BASE_URL: `http://localhost:${first.ports.api}`,
  VAULT_ORIGIN_TEMPLATE: `http://{label}.localhost:${first.ports.gateway}`,
  DATABASE_URL: database.url.reveal(),
  REDIS_URL: redis.url,
  TUNNELS_PER_DAEMON: '1',
}
const herds: ChildProcess[] = []
process.on('exit', () => {
  for (const child of herds) child.kill('SIGKILL')
  for (const replica of replicas) void replica.kill()
  void redis.kill()
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

async function startHerd(part: { orgId: string; apiKey: string }[], number: number): Promise<ChildProcess> {
  const file = join(database.folder, `herd-${number}.json`)
  await writeFile(file, JSON.stringify(part))
  const child = fork(new URL('herd/daemons.ts', import.meta.url), [file, String(balancer.port)])
  await once(child, 'message')
  return child
}
async function connected(): Promise<number> {
  const counts = await Promise.all(
    herds.map(async (child) => {
      const answered = once(child, 'message') as Promise<[number]>
      child.send('count')
      return (await answered)[0]
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}
async function metric(replica: ReplicaProcess, name: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${replica.ports.internal}/metrics`)
  return Number(new RegExp(`^${name} ([\\d.e+]+)$`, 'm').exec(await answer.text())?.[1] ?? 0)
}
async function until(what: string, holds: () => Promise<boolean>): Promise<number> {
  const since = systemClock.monotonic()
  while (!(await holds())) {
    if (systemClock.monotonic() - since > PATIENCE_MS) throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what}`)
    await systemClock.sleep(SAMPLE_MS)
  }
  return systemClock.monotonic() - since
}

await first.start({ ...settings, ACCEPTS_PER_SECOND: String(FILL_RATE) })
const organizations = await insertOrganizations(db, daemons)
const share = Math.ceil(daemons / PROCESSES)
for (let i = 0; i < PROCESSES; i += 1) herds.push(await startHerd(organizations.slice(i * share, (i + 1) * share), i))
const filledMs = await until('all daemons are connected', async () => (await connected()) === daemons)
console.log(`${daemons} daemons at one replica after ${(filledMs / 1000).toFixed(1)} s`)
const residentMb = (await metric(first, 'process_resident_memory_bytes')) / 1024 ** 2

await Promise.all(others.map((replica) => replica.start({ ...settings, ACCEPTS_PER_SECOND: String(rate) })))
await systemClock.sleep(3_000)
await first.kill()
const killedAt = systemClock.monotonic()
const samples: { ms: number; back: number; held: number[] }[] = [{ ms: 0, back: 0, held: others.map(() => 0) }]
await until('all daemons are back', async () => {
  const held = await Promise.all(others.map((replica) => metric(replica, 'svc_relay_tunnels')))
  const back = held.reduce((sum, count) => sum + count, 0)
  samples.push({ ms: systemClock.monotonic() - killedAt, back, held })
  return back >= daemons
})
// The highest rate over two seconds or more: on a busy machine a single sample may come late.
const fastest = others.map((_, index) =>
  Math.max(
    ...samples.flatMap((from, i) =>
      samples
        .slice(i + 1)
        .filter(({ ms }) => ms - from.ms >= 2_000)
        .slice(0, 1)
        .map((to) => ((to.held[index]! - from.held[index]!) / (to.ms - from.ms)) * 1_000),
    ),
  ),
)
const backAfter = (portion: number) => (samples.find(({ back }) => back >= daemons * portion)?.ms ?? Number.NaN) / 1_000
printTable(
  [
    'Daemons',
    'Budget per replica',
    'Fastest accepts per second',
    'Half back',
    '95 % back',
    'All back',
    'RSS of the full replica',
  ],
  [
    [
      daemons,
      `${rate}/s`,
      fastest.map((value) => value.toFixed(0)).join(', '),
      `${backAfter(0.5).toFixed(1)} s`,
      `${backAfter(0.95).toFixed(1)} s`,
      `${backAfter(1).toFixed(1)} s`,
      `${residentMb.toFixed(0)} MB`,
    ],
  ],
)
const kept = fastest.every((value) => value <= rate * 1.2) && backAfter(1) <= 60
console.log(kept ? 'Kept: within the budget, all back within 60 s.' : 'MISSED: above the budget, or later than 60 s.')

for (const child of herds) child.kill('SIGKILL')
balancer.close()
await Promise.all(replicas.map((replica) => replica.kill()))
await close()
await redis.stop()
await database.stop()
process.exit(kept ? 0 : 1)
