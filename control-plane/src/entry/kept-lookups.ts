import { setImmediate } from 'node:timers/promises'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Eventual } from '@svc/shared/kit/eventual.ts'

/** Keys that one query reads at most, so that no turn handles more rows. */
const MOST_AT_ONCE = 200
/** Callers that go on in one turn of the event loop: what each does next takes a fifth of a millisecond. */
const AT_A_TIME = 16

type Options<Value> = {
  /** Reads many keys in one query. A key that is absent from the answer has no value. */
  readAll: (keys: string[]) => Promise<Map<string, Value>>
  /** How old a value may be that is returned, counted from the start of its query. */
  freshMs: number
  /** All are forgotten when there are more. */
  maxKept: number
  clock: Pick<Clock, 'monotonic'>
}
type Lookup<Value> = PromiseWithResolvers<Value | undefined>

/**
 * Rows that every request needs, by their keys: kept for a while, also when there is none, and read again before they
 * are too old, so that a key in use never waits. One query runs at a time and takes all keys that were asked for
 * meanwhile: many new ones at once, as after a restart, cost a few queries and do not fill the pool of connections. Their
 * callers go on a few at a time, and the requests of others in between.
 */
export function keepLookups<Value>({ readAll, freshMs, maxKept, clock }: Options<Value>) {
  const kept = new Map<string, { value: Value | undefined; readAt: number }>()
  const queued = new Map<string, Lookup<Value>>()
  const running = new Map<string, Lookup<Value>>()
  let isReading = false

  const keep = (key: string, value: Value | undefined, readAt: number) => {
    if (kept.size >= maxKept) kept.clear()
    kept.set(key, { value, readAt })
  }

  const readBatch = async (batch: [string, Lookup<Value>][]): Promise<void> => {
    const readAt = clock.monotonic()
    // A key that was forgotten while it was read is no longer in `running`. Earlier callers get its value; it is not kept.
    const leaveRunning = (key: string, lookup: Lookup<Value>) => running.get(key) === lookup && running.delete(key)
    try {
      const found = await readAll(batch.map(([key]) => key))
      for (const [nth, [key, lookup]] of batch.entries()) {
        if (nth > 0 && nth % AT_A_TIME === 0) await setImmediate()
        if (leaveRunning(key, lookup)) keep(key, found.get(key), readAt)
        lookup.resolve(found.get(key))
      }
    } catch (error) {
      for (const [key, lookup] of batch) {
        leaveRunning(key, lookup)
        lookup.reject(error)
      }
    }
  }

  const readQueued = async (): Promise<void> => {
    isReading = true
    while (queued.size > 0) {
      const batch = [...queued].slice(0, MOST_AT_ONCE)
      for (const [key, lookup] of batch) {
        queued.delete(key)
        running.set(key, lookup)
      }
      await readBatch(batch)
    }
    isReading = false
  }

  const read = (key: string): Promise<Value | undefined> => {
    const shared = running.get(key) ?? queued.get(key)
    if (shared !== undefined) return shared.promise
    const lookup: Lookup<Value> = Promise.withResolvers()
    queued.set(key, lookup)
    if (!isReading) void readQueued()
    return lookup.promise
  }

  return {
    /** The value of a key; available now while it is fresh. Fails as the query fails. */
    find: (key: string): Eventual<Value | undefined> => {
      const found = kept.get(key)
      const age = found === undefined ? freshMs : clock.monotonic() - found.readAt
      if (found === undefined || age >= freshMs) return read(key)
      // The kept value still holds. If this query fails, the next call that needs a new value repeats it and fails with it.
      if (age >= freshMs / 2) read(key).catch(() => undefined)
      return found.value
    },

    /** True for a key with a kept value, however old. */
    has: (key: string): boolean => kept.get(key)?.value !== undefined,

    /** Reads this key anew for whoever asks from now on. */
    forget: (key: string): void => {
      kept.delete(key)
      running.delete(key)
    },

    /** The same for all keys whose value is `stale`, and for those being read, whose values are not known. */
    forgetWhere: (stale: (value: Value) => boolean): void => {
      for (const [key, { value }] of kept) if (value !== undefined && stale(value)) kept.delete(key)
      running.clear()
    },

    /** The same for all keys. */
    forgetAll: (): void => {
      kept.clear()
      running.clear()
    },
  }
}
