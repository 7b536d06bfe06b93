// The operator on a real API server, from nothing to a steady fleet: its actions, its calls, its CPU time and memory.
// Options: --daemons N (1000), --changes N (200). `npm run bench operator -- --daemons 100` is a quick run.
import { parseArgs } from 'node:util'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { until } from '../test/support/until.ts'
import { DAEMONS, startBenchCluster } from './operator/cluster.ts'
import { REPOSITORY, watchFleet } from './operator/fleet.ts'
import type { OperatorAnswers, OperatorOptions } from './operator/operator-process.ts'
import { startPart, type Part } from './part.ts'
import { printReport } from './operator/report.ts'
import type { WorldOptions } from './operator/world-process.ts'
import { freePort } from '../test/support/free-port.ts'

const { values } = parseArgs({
  options: { daemons: { type: 'string', default: '1000' }, changes: { type: 'string', default: '200' } },
})
const count = wholeNumber('daemons', values.daemons)
const changes = wholeNumber('changes', values.changes)
const RESYNCS = 10
// Flags of Node as in docs/CONFIGURATION.md.
const FLAGS = ['--max-semi-space-size=4']

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  console.error(`--${name} must be a whole number above 0.`)
  process.exit(64)
}

const say = (text: string) => process.stderr.write(`  ${text}\n`)

say('starting kube-apiserver, etcd and kube-controller-manager')
const cluster = await startBenchCluster()
const probePort = await freePort()
const options = { kubeconfig: cluster.kubeconfig, namespace: DAEMONS, probePort } satisfies WorldOptions
const world = await startPart({ program: new URL('operator/world-process.ts', import.meta.url), options })
const startOperator = async (steadyMs?: number): Promise<Part<OperatorAnswers>> => {
  const environment = {
    KUBECONFIG: cluster.operatorKubeconfig,
    IMAGE_REPOSITORY: REPOSITORY,
    RELAY_EGRESS: '{"namespace":"svc-system","labels":{"app":"relay"},"port":7380}',
    ALLOW_INSECURE_RELAY: '1',
    PROBE_PORT: String(probePort),
    LOG_LEVEL: 'error',
  }
  const options = { environment, steadyMs } satisfies OperatorOptions
  const program = new URL('operator/operator-process.ts', import.meta.url)
  const part = await startPart<OperatorAnswers>({ program, options, flags: FLAGS })
  await until('the operator leads and is synced', async () => (await part.ask('state')).synced, { withinMs: 120_000 })
  return part
}
const untilIdle = (operator: Part<OperatorAnswers>) =>
  until('the queue is empty', async () => (await operator.ask('state')).queueDepth === 0)

const fleet = watchFleet({ client: cluster.client(), namespace: DAEMONS })
const first = await startOperator()
const empty = await first.ask('memory')
const idleBefore = await first.ask('counts')

say(`asking for ${count} daemons`)
const tell = (settled: number) => say(`${settled} are as desired`)
// A tenth of them first, to separate the operator's fixed cost from the cost per daemon.
const tenth = Math.ceil(count / 10)
const tenthMs = await fleet.grow(tenth, tell)
await untilIdle(first)
const warm = await first.ask('memory')
const provisionMs = tenthMs + (await fleet.grow(count - tenth, tell))
await untilIdle(first)
const provisioned = await first.ask('counts')
const provisioning = await first.ask('state')
const full = await first.ask('memory')

say(`changing ${changes} specs, one after the other`)
const firstWrites: number[] = []
for (const name of Array.from({ length: changes }, (_, index) => fleet.names()[index % count] ?? '')) {
  await untilIdle(first)
  await first.ask('expectWrite', name)
  const sentAt = await fleet.rotate(name)
  if (Number.isNaN(sentAt)) continue
  firstWrites.push((await first.ask('nextWrite'))! - sentAt)
  await fleet.untilSettled(name)
}
const rotating = await first.ask('state')
await first.stop()

say(`looking at all of them ${RESYNCS} times`)
const second = await startOperator(1)
const before = await second.ask('counts')
const atStart = await second.ask('state')
const since = systemClock.monotonic()
let passes = 0
await until(
  'the resyncs',
  async () => {
    passes = (await second.ask('state')).reconciles - atStart.reconciles
    return passes >= RESYNCS * count
  },
  { withinMs: 600_000, everyMs: 250 },
)
const resyncMs = systemClock.monotonic() - since
const after = await second.ask('counts')
const resynced = await second.ask('state')
await second.stop()

printReport({
  count,
  resyncs: RESYNCS,
  provisionMs,
  passes: provisioning.reconciles,
  calls: provisioned,
  cpuMs: provisioned.cpuMs - idleBefore.cpuMs,
  memory: { empty, warm, full },
  firstWrites,
  resync: { passes, ms: resyncMs, writes: after.writes - before.writes, cpuMs: after.cpuMs - before.cpuMs },
  failures: rotating.failures + resynced.failures,
  conflicts: rotating.conflicts,
})

fleet.stop()
await world.stop()
await cluster.stop()
process.exit(0)
