// Many organizations wake at the same moment: the cost for organizations that are awake, and the wait of the woken
// ones. The relay is real, with keys and sessions in Postgres. A daemon's start is simulated by a wait of --start-ms
// (1000) plus up to half of it, then a dial. All processes share the cores; the processes that stand for browsers and
// nodes of the woken organizations get only the CPU time that no other wants. Reads of the same server without the
// relay show the cost of sharing the cores alone. A storm is short, so the p99 of one round are its twelve slowest
// reads; the verdict is over the reads of all rounds. Options: --organizations N (200), --rounds N (10), --start-ms N.
import { parseArgs } from 'node:util'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { until } from '../test/support/until.ts'
import { giveWay, startPart } from './part.ts'
import { imageOptions } from './relay/image-options.ts'
import type { TargetAnswers } from './relay/target-process.ts'
import { printTable, quantile, spread } from './rounds.ts'
import { readOnce } from './wake-storm/read-once.ts'
import type { ReadersAnswers, ReadersOptions } from './wake-storm/readers-process.ts'
import type { StormRelayAnswers } from './wake-storm/relay-process.ts'

const { values } = parseArgs({
  options: {
    organizations: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '10' },
    'start-ms': { type: 'string', default: '1000' },
  },
})
const [count = 0, rounds = 0, startMs = 0] = [values.organizations, values.rounds, values['start-ms']].map(Number)
const AWAKE = 8
const READ_EVERY_MS = 20
const IDLE_MS = 10_000
const LOOK_MS = 10
const MOST = 2

const say = (text: string) => process.stderr.write(`  ${text}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const relay = await startPart<StormRelayAnswers>({
  program: new URL('wake-storm/relay-process.ts', import.meta.url),
  options: {},
  flags: imageOptions(),
})
const startTarget = (isElsewhere: boolean) =>
  startPart<TargetAnswers>({ program: new URL('relay/target-process.ts', import.meta.url), options: {}, isElsewhere })
const [steady, woken] = [await startTarget(false), await startTarget(true)]
const port = await relay.ask('port')

const make = async () => {
  const { orgId, apiKey, headers } = await relay.ask('organization')
  return { orgId, key: apiKey, endpoint: { port, headers } }
}
type Organization = Awaited<ReturnType<typeof make>>
const dial = (part: typeof steady, { orgId, key }: Organization) =>
  part.ask('dial', { url: `http://127.0.0.1:${port}/t/${orgId}`, key })

say(`making ${count + AWAKE} organizations`)
const awake: Organization[] = []
for (let nth = 0; nth < AWAKE; nth += 1) awake.push(await make())
const sleepers: Organization[] = []
for (let nth = 0; nth < count; nth += 1) sleepers.push(await make())
for (const organization of awake) await dial(steady, organization)
for (const { orgId } of awake) await until('an organization is awake', () => relay.ask('connected', orgId))
// An organization that sleeps has been awake: its key is bound to its daemon.
for (const organization of sleepers) await dial(woken, organization)
for (const { orgId } of sleepers) await until('an organization was awake', () => relay.ask('connected', orgId))
await hangUp()

/** Ends the tunnels of all sleepers and waits until the relay has noticed. */
async function hangUp(): Promise<void> {
  await woken.ask('hangUp')
  const anyConnected = async () =>
    (await Promise.all(sleepers.map(({ orgId }) => relay.ask('connected', orgId)))).includes(true)
  await until('all of them are gone', async () => !(await anyConnected()), { everyMs: 250 })
}

/** Starts each daemon that the relay wants to wake, until all of them were started. */
async function startDaemons(): Promise<void> {
  const starting: Promise<void>[] = []
  while (starting.length < count) {
    for (const orgId of await relay.ask('woken')) {
      const organization = sleepers.find((one) => one.orgId === orgId)!
      starting.push(systemClock.sleep(startMs * (1 + Math.random() / 2)).then(() => dial(woken, organization)))
    }
    await systemClock.sleep(LOOK_MS)
  }
  await Promise.all(starting)
}

const endpoints = awake.map(({ endpoint }) => endpoint)
const startReaders = (options: ReadersOptions) =>
  startPart<ReadersAnswers>({ program: new URL('wake-storm/readers-process.ts', import.meta.url), options })
const readers = await startReaders({ endpoints, everyMs: READ_EVERY_MS })
const steadyPort = await steady.ask('port')
const direct = await startReaders({
  endpoints: [{ port: steadyPort, headers: { host: 'direct' } }],
  everyMs: READ_EVERY_MS,
})
giveWay(process.pid) // from now on this process stands for two hundred browsers and for the nodes
await systemClock.sleep(IDLE_MS / 2)
const byLength = (a: number, b: number) => a - b
const all = { idle: [] as number[], storm: [] as number[], directIdle: [] as number[], directStorm: [] as number[] }
const ratios: number[] = []
const rows: (string | number)[][] = []
let failed = 0
for (let round = 1; round <= rounds; round += 1) {
  say(`round ${round} of ${rounds}`)
  await relay.ask(
    'sleep',
    sleepers.map(({ orgId }) => orgId),
  )
  await Promise.all([readers.ask('take'), direct.ask('take'), relay.ask('load')])
  await systemClock.sleep(IDLE_MS)
  const [idle, directIdle] = await Promise.all([readers.ask('take'), direct.ask('take')])
  const idleLoad = await relay.ask('load')

  const [answers] = await Promise.all([
    Promise.all(sleepers.map(({ endpoint }) => readOnce(endpoint).catch(() => ({ status: 0, ms: Number.NaN })))),
    startDaemons(),
  ])
  const [storm, directStorm] = await Promise.all([readers.ask('take'), direct.ask('take')])
  all.idle.push(...idle)
  all.storm.push(...storm)
  all.directIdle.push(...directIdle)
  all.directStorm.push(...directStorm)
  const stormLoad = await relay.ask('load')
  failed += answers.filter(({ status }) => status !== 200).length
  const waits = answers.map(({ ms }) => ms).toSorted(byLength)
  ratios.push(quantile(storm, 0.99) / quantile(idle, 0.99))
  const shown = (list: number[], share: number) => quantile(list, share).toFixed(1)
  rows.push([
    round,
    `${shown(idle, 0.5)} / ${shown(idle, 0.99)}`,
    `${shown(storm, 0.5)} / ${shown(storm, 0.99)}`,
    ratios.at(-1)!.toFixed(2),
    `${shown(directIdle, 0.99)} / ${shown(directStorm, 0.99)}`,
    (quantile(directStorm, 0.99) / quantile(directIdle, 0.99)).toFixed(2),
    `${idleLoad.longestMs.toFixed(0)} / ${stormLoad.longestMs.toFixed(0)}`,
    stormLoad.cpuMs.toFixed(0),
    (quantile(waits, 0.5) / 1_000).toFixed(1),
    (waits.at(-1)! / 1_000).toFixed(1),
  ])
  await hangUp()
}
const failedReads = await readers.ask('failures')

printTable(
  [
    'Round',
    'Awake, idle: p50 / p99 in ms',
    'Awake, in the storm',
    'p99, times idle',
    'Without the relay: p99 idle / storm',
    'Times idle',
    'Longest turn of the relay, idle / storm, in ms',
    'CPU of the relay in the storm, in ms',
    'Woken: median in s',
    'Last in s',
  ],
  rows,
)
const timesIdle = (storm: number[], idle: number[]): number =>
  quantile(storm.toSorted(byLength), 0.99) / quantile(idle.toSorted(byLength), 0.99)
const ratio = timesIdle(all.storm, all.idle)
const { median, min, max } = spread(ratios)
console.log(`${count} organizations woken at once, first requests that failed: ${failed} of ${count * rounds}.`)
console.log(`Reads of others that failed: ${failedReads}.`)
console.log(`p99 of those awake, single rounds: ${median.toFixed(2)} times idle (${min.toFixed(2)}–${max.toFixed(2)}).`)
console.log(`p99 without the relay, all rounds: ${timesIdle(all.directStorm, all.directIdle).toFixed(2)} times idle.`)
const isKept = ratio <= MOST && failed === 0 && failedReads === 0
console.log(
  `${isKept ? 'Kept' : 'MISSED'}: p99 of those awake, all rounds: ${ratio.toFixed(2)} times idle (target ${MOST}).`,
)

for (const part of [readers, direct, steady, woken, relay]) await part.stop()
process.exit(isKept ? 0 : 1)
