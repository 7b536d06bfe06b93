import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** CPU time of this thread in milliseconds. Other processes and threads do not count. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The CPU time that a call takes on this thread. */
export async function cpuMsOf(call: () => unknown): Promise<number> {
  const since = threadCpuMs()
  await call()
  return threadCpuMs() - since
}

/**
 * The least CPU time of several calls: the cost of the work without a garbage collection that may fall into one of
 * them.
 */
export async function leastCpuMs(call: () => unknown, attempts = 3): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < attempts; attempt++) least = Math.min(least, await cpuMsOf(call))
  return least
}

const MEASUREMENTS = 4

/**
 * The first of a few measurements that is below a limit, otherwise the least of them. Of what takes too long, every
 * measurement is above the limit; on a busy machine, some others are.
 */
export async function firstBelow(limit: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let nth = 0; nth < MEASUREMENTS && least >= limit; nth++) least = Math.min(least, await measure())
  return least
}

const LEAST_MEASURED_MS = 25
const MAX_CALLS = 500

/**
 * The CPU time per call, measured over several. Some systems count CPU time in ticks of milliseconds, so one short call
 * may show none.
 */
export function cpuMsPerCall(call: () => unknown): number {
  const since = threadCpuMs()
  let calls = 0
  let spent = 0
  while (spent < LEAST_MEASURED_MS && calls < MAX_CALLS) {
    call()
    calls++
    spent = threadCpuMs() - since
  }
  return spent / calls
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes that this process still holds after a full garbage collection, buffers included. */
export function heldBytes(): number {
  collectGarbage()
  collectGarbage() // the first one frees some buffers only in the background, at the latest at this second one
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
