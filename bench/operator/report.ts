import { printTable, quantile } from '../rounds.ts'
import type { CallCounts } from './call-count.ts'

type Memory = { heap: number; rss: number }

/** The measurements of a run. Counts are of the whole fleet, times in milliseconds, sizes in bytes. */
export type Measured = {
  count: number
  resyncs: number
  provisionMs: number
  passes: number
  calls: CallCounts
  cpuMs: number
  /** Without a daemon, with a tenth of them, with all. */
  memory: { empty: Memory; warm: Memory; full: Memory }
  firstWrites: number[]
  resync: { passes: number; ms: number; writes: number; cpuMs: number }
  failures: number
  conflicts: number
}

const TARGETS = { writes: 9, resyncWrites: 0, memoryKB: 60, firstWriteMs: 250 }

/** Prints the figures beside their targets, and the calls per daemon. */
export function printReport(measured: Measured): void {
  const { count, resyncs, provisionMs, passes, calls, cpuMs, memory, firstWrites, resync } = measured
  const each = (value: number, digits = 1) => (value / count).toFixed(digits)
  const kilobytes = (of: keyof Memory) => (memory.full[of] - memory.empty[of]) / count / 1024
  const megabytes = (of: keyof Memory) =>
    [memory.empty, memory.warm, memory.full].map((at) => (at[of] / 2 ** 20).toFixed(0)).join(', ')
  const sorted = firstWrites.toSorted((a, b) => a - b)
  const perSecond = (passes: number, ms: number) => (passes / (ms / 1_000)).toFixed(0)
  const target = (value: number, most: number, unit = '') => [`≤ ${most}${unit}`, value <= most ? 'yes' : '**no**']
  const writes = calls.writes / count
  const p99 = quantile(sorted, 0.99)
  const plain = ['', '']

  printTable(
    [`${count} daemons`, 'measured', 'target', 'met'],
    [
      ['from nothing to steady', `${(provisionMs / 1_000).toFixed(1)} s`, ...plain],
      ['reconciles per second, from nothing to steady', perSecond(passes, provisionMs), ...plain],
      [`reconciles per second, ${resyncs} resyncs at full speed`, perSecond(resync.passes, resync.ms), ...plain],
      ['reconciles per daemon, from nothing to steady', each(passes), ...plain],
      ['operator CPU per daemon, from nothing to steady', `${each(cpuMs)} ms`, ...plain],
      ['operator CPU per reconcile, resync', `${(resync.cpuMs / resync.passes).toFixed(2)} ms`, ...plain],
      ['API calls per daemon', `${each(calls.reads)} reads, ${each(calls.writes)} writes`, ...plain],
      ['bytes per daemon', `${each(calls.bytesIn / 1024)} KB in, ${each(calls.bytesOut / 1024)} KB out`, ...plain],
      ['writes per daemon, nothing to running', writes.toFixed(2), ...target(writes, TARGETS.writes)],
      // The path of a call that creates a Secret does not name the daemon. This one write of each daemon is missing
      // here.
      ['most writes of one daemon', calls.mostWritesOfOne + 1, ...target(calls.mostWritesOfOne + 1, TARGETS.writes)],
      [`writes in ${resyncs} resyncs`, resync.writes, ...target(resync.writes, TARGETS.resyncWrites)],
      memoryRow('memory per daemon, heap', kilobytes('heap')),
      memoryRow('memory per daemon, resident', kilobytes('rss')),
      ['heap with no, a tenth, all daemons', `${megabytes('heap')} MB`, ...plain],
      ['resident with no, a tenth, all daemons', `${megabytes('rss')} MB`, ...plain],
      [`spec change → first write, p50 of ${sorted.length}`, `${quantile(sorted, 0.5)} ms`, ...plain],
      ['spec change → first write, p99', `${p99} ms`, ...target(p99, TARGETS.firstWriteMs, ' ms')],
      ['connections opened to the API', calls.connections, ...plain],
      ['passes that failed, that somebody overtook', `${measured.failures}, ${measured.conflicts}`, ...plain],
    ],
  )
  console.log()
  const kinds = Object.entries(calls.kinds).toSorted(([, a], [, b]) => b - a)
  printTable(
    ['call', 'per daemon'],
    kinds.filter(([kind]) => !/^(LIST|WATCH)/.test(kind)).map(([kind, calls]) => [kind, each(calls, 2)]),
  )
  const shared = kinds.filter(([kind]) => /^(LIST|WATCH)/.test(kind)).map(([kind, calls]) => `${kind} ${calls}`)
  console.log(`\nFor all of them together: ${shared.join(', ')}.`)
  const refused = Object.entries(calls.refused).map(([status, calls]) => `${status}: ${calls}`)
  console.log(`Answers that were no success: ${refused.join(', ') || 'none'}.`)

  function memoryRow(name: string, value: number) {
    return [name, `${value.toFixed(1)} KB`, ...target(value, TARGETS.memoryKB, ' KB')]
  }
}
