// The relay with all its checks, compared with no relay, a bare Node proxy, and, if they are installed, nginx and `ssh
// -R`. Contenders alternate within each round; read the ratios. BENCH_ROUNDS (5), BENCH_MS (1500, the duration of each
// measurement of requests) and BENCH_TUNNELS (5000; 0 omits them) shorten a run.
import { startPart } from './part.ts'
import { startBareProxy } from './relay/bare-proxy-contender.ts'
import type { BulkAnswers } from './relay/bulk-process.ts'
import { openEndpoint, type Contender } from './relay/contender.ts'
import { imageOptions } from './relay/image-options.ts'
import { measureIdleTunnels } from './relay/idle-tunnels.ts'
import { measureSlowTurn } from './relay/measure-slow-turn.ts'
import { measureTurn, warmUp } from './relay/measure-turn.ts'
import { startNginx } from './relay/nginx-contender.ts'
import { connectRelay } from './relay/relay-contender.ts'
import type { RelayAnswers } from './relay/relay-process.ts'
import { printReport } from './relay/report.ts'
import { createResults } from './relay/results.ts'
import type { SlowWayAnswers } from './relay/slow-way-process.ts'
import { startSsh } from './relay/ssh-contender.ts'
import type { TargetAnswers } from './relay/target-process.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const ms = Number(process.env.BENCH_MS ?? 1500)
const tunnels = Number(process.env.BENCH_TUNNELS ?? 5000)
const say = (text: string) => process.stderr.write(`${text}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const program = (name: string) => new URL(`relay/${name}-process.ts`, import.meta.url)
const target = await startPart<TargetAnswers>({ program: program('target'), options: {} })
const relay = await startPart<RelayAnswers>({ program: program('relay'), options: {}, flags: imageOptions() })
const bulk = await startPart<BulkAnswers>({ program: program('bulk'), options: {} })
const [targetPort, relayPort] = [await target.ask('port'), await relay.ask('port')]
const slowWay = await startPart<SlowWayAnswers>({
  program: program('slow-way'),
  options: { ports: [targetPort, relayPort] },
})
const [slowTargetPort = 0, slowRelayPort = 0] = await slowWay.ask('ports')

const direct: Contender = { name: 'direct', endpoint: openEndpoint(targetPort), processes: { target: target.pid } }
const contenders = [
  direct,
  await startBareProxy(targetPort, target.pid),
  await startNginx(targetPort, target.pid),
  await startSsh(targetPort, target.pid),
  await connectRelay({ name: 'relay', relay, target, dialInPort: relayPort }),
].filter((contender) => contender !== undefined)
const slow: Contender[] = [
  { ...direct, name: 'direct, slow way', endpoint: openEndpoint(slowTargetPort) },
  await connectRelay({ name: 'relay, slow way', relay, target, dialInPort: slowRelayPort }),
]

for (const contender of contenders) {
  say(`warming up: ${contender.name}`)
  await warmUp(contender)
}
const results = createResults()
for (let round = 1; round <= rounds; round += 1) {
  for (const contender of contenders) {
    say(`round ${round} of ${rounds}: ${contender.name}`)
    results.add(contender.name, await measureTurn(contender, { ms, bulk }))
  }
  for (const contender of slow) {
    say(`round ${round} of ${rounds}: ${contender.name}`)
    results.add(contender.name, await measureSlowTurn(contender, ms))
  }
}
for (const part of [slowWay, bulk, relay, target]) await part.stop()

if (tunnels > 0) say(`${tunnels} idle tunnels`)
const idle = tunnels > 0 ? await measureIdleTunnels(tunnels) : undefined
printReport({ results, contenders, slow, idle })
process.exit(0)
