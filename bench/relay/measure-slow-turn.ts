import type { Contender } from './contender.ts'
import { measureDownload, measureRequests, measureUpload } from './load.ts'
import type { Turn } from './results.ts'

const CONCURRENCY = 16
const MEGABYTES = 32
const SHORTEST_MS = 3_000

export const slowMeasures = {
  perSecond: `req/s at ${CONCURRENCY}, slow way`,
  p50: `p50 at ${CONCURRENCY}, slow way, ms`,
  p99: `p99 at ${CONCURRENCY}, slow way, ms`,
  down: 'MB/s down, slow way',
  up: 'MB/s up, slow way',
}

/**
 * The measurements of a turn over a slow line. Waiting dominates there, so it measures longer to reduce the influence
 * of chance.
 */
export async function measureSlowTurn({ endpoint }: Contender, ms: number): Promise<Turn> {
  const asked = { concurrency: CONCURRENCY, ms: Math.max(SHORTEST_MS, 2 * ms) }
  const { perSecond, p50, p99 } = await measureRequests(endpoint, asked)
  return {
    [slowMeasures.perSecond]: perSecond,
    [slowMeasures.p50]: p50,
    [slowMeasures.p99]: p99,
    [slowMeasures.down]: await measureDownload(endpoint, MEGABYTES),
    [slowMeasures.up]: await measureUpload(endpoint, MEGABYTES),
  }
}
