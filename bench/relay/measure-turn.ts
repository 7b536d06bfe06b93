import type { Part } from '../part.ts'
import type { BulkAnswers } from './bulk-process.ts'
import type { Contender } from './contender.ts'
import { cpuTimes } from './cpu-time.ts'
import { measureDownload, measureRequests, measureUpload } from './load.ts'
import type { Turn } from './results.ts'

export const CONCURRENCIES = [1, 16, 64]
const MEGABYTES = 256
const WARM_UP_MS = 4_000
const WARM_UP_MEGABYTES = 256

/** Names of the measurements of a turn. */
export const measures = {
  perSecond: (concurrency: number) => `req/s at ${concurrency}`,
  p50: (concurrency: number) => `p50 at ${concurrency}, ms`,
  p99: (concurrency: number) => `p99 at ${concurrency}, ms`,
  cpu: (process: string, concurrency: number) => `CPU of ${process} at ${concurrency}`,
  down: 'MB/s down',
  up: 'MB/s up',
  underBulk: 'p99 under bulk, ms',
}

/** Warm-up, not counted: a fresh Node process runs at half its speed for the first two seconds. */
export async function warmUp({ endpoint }: Contender): Promise<void> {
  await measureRequests(endpoint, { concurrency: 16, ms: WARM_UP_MS })
  await measureDownload(endpoint, WARM_UP_MEGABYTES)
  await measureUpload(endpoint, WARM_UP_MEGABYTES)
}

type How = {
  /** Duration of each measurement that counts requests. */
  ms: number
  bulk: Part<BulkAnswers>
}

/** All measurements of one contender, one after the other. */
export async function measureTurn({ endpoint, processes }: Contender, { ms, bulk }: How): Promise<Turn> {
  const turn: Turn = {}
  for (const concurrency of CONCURRENCIES) {
    const [before, own] = [cpuTimes(processes), process.cpuUsage()]
    const { requests, perSecond, p50, p99 } = await measureRequests(endpoint, { concurrency, ms })
    const { user, system } = process.cpuUsage(own)
    const after = cpuTimes(processes)
    turn[measures.perSecond(concurrency)] = perSecond
    turn[measures.p50(concurrency)] = p50
    turn[measures.p99(concurrency)] = p99
    turn[measures.cpu('client', concurrency)] = (user + system) / requests
    for (const [name, spent] of Object.entries(after ?? {}))
      turn[measures.cpu(name, concurrency)] = ((spent - before![name]!) * 1_000) / requests
  }
  turn[measures.down] = await measureDownload(endpoint, MEGABYTES)
  turn[measures.up] = await measureUpload(endpoint, MEGABYTES)
  await bulk.ask('start', endpoint)
  turn[measures.underBulk] = (await measureRequests(endpoint, { concurrency: 1, ms })).p99
  await bulk.ask('stop')
  return turn
}
