import { printTable } from '../rounds.ts'
import type { Contender } from './contender.ts'
import type { IdleMemory } from './idle-tunnels.ts'
import { CONCURRENCIES, measures } from './measure-turn.ts'
import { slowMeasures } from './measure-slow-turn.ts'
import type { Results } from './results.ts'
import { relayTargets } from './targets.ts'

type Report = { results: Results; contenders: Contender[]; slow: Contender[]; idle: IdleMemory | undefined }

const heading = (text: string) => console.log(`\n${text}\n`)
const shown = (measure: string, value: number) => value.toFixed(measure.includes('ms') ? 2 : value < 20 ? 1 : 0)

/** Prints medians of all rounds, CPU time per request, the slow line, memory, and the ratios beside their targets. */
export function printReport({ results, contenders, slow, idle }: Report): void {
  const names = contenders.map(({ name }) => name)
  const row = (measure: string, of: string[]) => [
    measure,
    ...of.map((name) => shown(measure, results.median(name, measure))),
  ]
  const plain = results.measures('relay').filter((measure) => !measure.startsWith('CPU'))
  printTable(
    ['median', ...names],
    plain.map((measure) => row(measure, names)),
  )

  heading('CPU time per request, µs, by process (the client is the load itself)')
  printTable(['contender', 'process', ...CONCURRENCIES.map((at) => `at ${at}`)], contenders.flatMap(cpuRows))

  heading('Behind a way of 50–200 ms that stalls and carries 12.5 MB/s')
  const [direct, relay] = slow.map(({ name }) => name) as [string, string]
  printTable(
    ['median', 'direct', 'relay', 'relay, of direct'],
    Object.values(slowMeasures).map((measure) => [
      ...row(measure, [direct, relay]),
      results.ratio(measure, relay, direct).toFixed(2),
    ]),
  )
  if (idle !== undefined) printIdle(idle)

  heading('Ratios of medians beside their targets')
  printTable(
    ['measure', 'measured', 'target', 'met'],
    relayTargets(results, names, idle).map(({ what, measured, wanted, met }) => [
      what,
      measured,
      wanted,
      met ? 'yes' : '**no**',
    ]),
  )

  function cpuRows({ name, processes }: Contender) {
    return [...Object.keys(processes), 'client'].map((process) => [
      name,
      process,
      ...CONCURRENCIES.map((at) => {
        const value = results.median(name, measures.cpu(process, at))
        return Number.isNaN(value) ? 'not available' : value.toFixed(0)
      }),
    ])
  }
}

function printIdle({ count, perTunnel, asFound, collected }: IdleMemory): void {
  heading(`Memory of a relay with ${count} idle tunnels`)
  const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`
  printTable(
    ['', 'per tunnel', 'all, as found', 'all, collected'],
    (['heap', 'external', 'resident'] as const).map((of) => [
      of,
      `${(perTunnel[of] / 1024).toFixed(1)} KB`,
      megabytes(asFound[of]),
      megabytes(collected[of]),
    ]),
  )
}
