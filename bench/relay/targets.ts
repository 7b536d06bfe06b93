import { CONCURRENCIES, measures } from './measure-turn.ts'
import type { IdleMemory } from './idle-tunnels.ts'
import type { Results } from './results.ts'

/** A figure beside its target. */
export type Target = { what: string; measured: string; wanted: string; met: boolean }

const least = (what: string, value: number, bound: number): Target => ({
  what,
  measured: value.toFixed(2),
  wanted: `≥ ${bound}`,
  met: value >= bound,
})
const most = (what: string, value: number, bound: number, unit = ''): Target => ({
  what,
  measured: `${value.toFixed(2)}${unit}`,
  wanted: `≤ ${bound}${unit}`,
  met: value <= bound,
})

/** The targets of the relay as ratios of medians, without those against contenders that are not installed. */
export function relayTargets(results: Results, contenders: string[], idle: IdleMemory | undefined): Target[] {
  const { median, ratio } = results
  const p99 = measures.p99(1)
  const ofProxy = CONCURRENCIES.map((at) =>
    least(
      `requests at ${at}, of the bare proxy`,
      ratio(measures.perSecond(at), 'relay', 'bare Node proxy'),
      at === 1 ? 1 : 1.5,
    ),
  )
  const cpuOfProxy = CONCURRENCIES.map((at) =>
    most(
      `CPU per request at ${at}, of the bare proxy`,
      median('relay', measures.cpu('relay', at)) / median('bare Node proxy', measures.cpu('proxy', at)),
      at === 1 ? 1 : 0.6,
    ),
  )
  const ofSsh = [
    ...CONCURRENCIES.map((at) =>
      least(`requests at ${at}, of ssh -R`, ratio(measures.perSecond(at), 'relay', 'ssh -R'), 1),
    ),
    least('bulk down, of ssh -R', ratio(measures.down, 'relay', 'ssh -R'), 1),
    least('bulk up, of ssh -R', ratio(measures.up, 'relay', 'ssh -R'), 1),
  ]
  return [
    ...ofProxy,
    ...cpuOfProxy,
    ...(contenders.includes('ssh -R') ? ofSsh : []),
    most('added p99 at 1', median('relay', p99) - median('direct', p99), 2, ' ms'),
    most('small p99 under bulk, of idle', median('relay', measures.underBulk) / median('relay', p99), 5),
    ...(idle === undefined ? [] : [most('resident per idle tunnel', idle.perTunnel.resident / 1024, 15, ' KB')]),
  ]
}
