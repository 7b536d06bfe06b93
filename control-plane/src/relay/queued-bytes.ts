import type { Duplex } from 'node:stream'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Eventual } from '@svc/shared/kit/eventual.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '../entry/revocation-feed.ts'

const SAMPLE_MS = 250
/** A vault origin with less is not worth the question whose it is. */
const LEAST_BYTES = 64 * 1024

/** Bytes that one exchange holds now. */
export type Gauge = () => number
/** Whose they are: an organization, or whoever is served under that Host. */
type Owner = { orgId: string } | { host: string }

type Options = {
  findByHost: (host: string) => Eventual<{ orgId: string } | undefined>
  clock: Clock
  log: Log
}

/**
 * Bytes that this replica has taken from one side and the other has not: answers that browsers do not read, uploads that
 * daemons do not read, and what passes to other replicas. Answers count until the browser has them, which is long after
 * the daemon was done with them. Summed four times a second, so that requests cost nothing.
 */
export function createQueuedBytes({ findByHost, clock, log }: Options) {
  const gauges = { orgId: new Map<string, Set<Gauge>>(), host: new Map<string, Set<Gauge>>() }
  let sums = new Map<string, number>()

  const total = (all: Set<Gauge>): number => {
    let sum = 0
    for (const gauge of all) sum += gauge()
    return sum
  }

  const ownerOf = async (host: string) => {
    try {
      return await findByHost(host)
    } catch {
      return undefined // the gateway asked for the same and reports it
    }
  }

  const sample = async (): Promise<void> => {
    const next = new Map<string, number>()
    const add = (orgId: string, bytes: number) => next.set(orgId, (next.get(orgId) ?? 0) + bytes)
    for (const [orgId, all] of gauges.orgId) add(orgId, total(all))
    for (const [host, all] of gauges.host) {
      const bytes = total(all)
      const owner = bytes >= LEAST_BYTES ? await ownerOf(host) : undefined
      if (owner !== undefined) add(owner.orgId, bytes)
    }
    sums = next
  }

  return {
    ...repeat({ everyMs: SAMPLE_MS, task: sample, clock, log, name: 'queued bytes' }),

    /** Bytes of the organization at the last sample. */
    of: (orgId: string): number => sums.get(orgId) ?? 0,

    /** Counts an exchange in; call the answer when it is over. */
    watch: (owner: Owner, gauge: Gauge): (() => void) => {
      const [map, name] = 'orgId' in owner ? [gauges.orgId, owner.orgId] : [gauges.host, owner.host]
      const all = map.get(name) ?? new Set()
      map.set(name, all.add(gauge))
      return () => {
        all.delete(gauge)
        if (all.size === 0 && map.get(name) === all) map.delete(name)
      }
    },
  }
}

export type QueuedBytes = ReturnType<typeof createQueuedBytes>

/** What two joined streams hold in their buffers. */
export function queuedByStreams(...streams: Duplex[]): Gauge {
  return () => streams.reduce((sum, { readableLength, writableLength }) => sum + readableLength + writableLength, 0)
}
