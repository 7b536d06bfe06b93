import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import { placeOf, Roster } from '@svc/shared/kit/roster.ts'

const SAMPLE_MS = 250
/** Bytes that have left a paused upload and wait for the daemon's credit. */
const PAUSED_UPLOAD_BYTES = 256 * 1024

/** Bytes that one exchange holds now. */
export type Gauge = () => number
/** The organization and the person that the bytes belong to; `person` is unknown for bytes of a hop. */
type Owner = { orgId: string; person?: string }
type Sum = { people: Map<string, number>; others: number }
type Watched = { gauge: Gauge; person: string | undefined }

const NOTHING: Sum = { people: new Map(), others: 0 }

type Options = {
  /** The most that one person's bytes count for the organization. */
  personBytesOf: (orgId: string) => number
  clock: Clock
  log: Log
}

/**
 * Bytes that this replica has received from one side and not passed to the other: responses that browsers do not read,
 * uploads that daemons do not read, and traffic to other replicas. A response counts until the browser has it, long
 * after the daemon sent it. Sampled four times a second, so that requests cost nothing.
 */
export function createQueuedBytes({ personBytesOf, clock, log }: Options) {
  const gauges = new Map<string, Roster<Watched>>()
  let sums = new Map<string, Sum>()

  const sumOf = (all: Roster<Watched>): Sum => {
    const sum: Sum = { people: new Map(), others: 0 }
    for (const { gauge, person } of all) {
      if (person === undefined) sum.others += gauge()
      else sum.people.set(person, (sum.people.get(person) ?? 0) + gauge())
    }
    return sum
  }
  const sample = async (): Promise<void> => {
    for (const [orgId, all] of gauges) if (all.isEmpty) gauges.delete(orgId)
    sums = new Map([...gauges].map(([orgId, all]) => [orgId, sumOf(all)]))
  }

  return {
    ...repeat({ everyMs: SAMPLE_MS, task: sample, first: 'after_interval', clock, log, name: 'queued bytes' }),

    /** Bytes of the organization at the last sample. The bytes of each person count up to the maximum per person. */
    of: (orgId: string): number => {
      const { people, others: sum } = sums.get(orgId) ?? NOTHING
      const personBytes = personBytesOf(orgId)
      let total = sum
      for (const bytes of people.values()) total += Math.min(bytes, personBytes)
      return total
    },

    /** Bytes of one person in an organization at the last sample. */
    ofPerson: (orgId: string, person: string): number => sums.get(orgId)?.people.get(person) ?? 0,

    /** Starts counting an exchange; call the returned function when it is over. */
    watch: ({ orgId, person }: Owner, gauge: Gauge): (() => void) => {
      const known = gauges.get(orgId)
      const all = known ?? new Roster()
      const place = placeOf({ gauge, person })
      all.add(place)
      if (known === undefined) gauges.set(orgId, all)
      return () => void all.remove(place)
    },
  }
}

export type QueuedBytes = ReturnType<typeof createQueuedBytes>

/** The bytes in the buffers of two joined streams. */
export function queuedByStreams(...streams: Duplex[]): Gauge {
  return () => streams.reduce((sum, { readableLength, writableLength }) => sum + readableLength + writableLength, 0)
}

/** The part of a response that the browser has not read, and of an upload that the daemon has not. */
export function queuedByExchange(request: IncomingMessage, response: ServerResponse): Gauge {
  return () => {
    const upload = request.readableLength + (request.isPaused() ? PAUSED_UPLOAD_BYTES : 0)
    return upload + response.writableLength
  }
}
