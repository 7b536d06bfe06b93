import { setImmediate } from 'node:timers/promises'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Eventual } from '@svc/shared/kit/eventual.ts'

/** Maximum number of keys per query, so that one turn of the event loop does not handle more rows. */
const MOST_AT_ONCE = 200
/** Callers that resume in one turn of the event loop. Each then works for about a fifth of a millisecond. */
const AT_A_TIME = 16

type Options<Value> = {
  /** Reads many keys in one query. A key that is absent from the result has no value. */
  readAll: (keys: string[]) => Promise<Map<string, Value>>
  /** Maximum age of a returned value, counted from the start of its query. */
  freshMs: number
  /** Maximum number of cached keys. When it is reached, the cache is cleared. */
  maxKept: number
  clock: Pick<Clock, 'monotonic'>
}
type Lookup<Value> = PromiseWithResolvers<Value | undefined>

/**
 * Caches rows that every request needs, by key. The absence of a row is cached, too. A key in use is read again before
 * its value is too old, so its callers never wait. One query runs at a time; the next one reads all keys requested in
 * the meantime. Many new keys at once, as after a restart, therefore cost a few queries and do not use up the
 * connection pool. Their callers resume a few at a time, so that other requests run in between.
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
    // A key that was forgotten during the query is no longer in `running`. Earlier callers get its value; it is not
    // cached.
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
    /** The value of a key; synchronous while it is fresh. Rejects when the query fails. */
    find: (key: string): Eventual<Value | undefined> => {
      const found = kept.get(key)
      const age = found === undefined ? freshMs : clock.monotonic() - found.readAt
      if (found === undefined || age >= freshMs) return read(key)
      // The cached value is still valid. If this query fails, the next call that needs a new value repeats it and
      // reports the failure.
      if (age >= freshMs / 2) read(key).catch(() => undefined)
      return found.value
    },

    /** True if a value of the key is cached, however old. */
    has: (key: string): boolean => kept.get(key)?.value !== undefined,

    /** Drops a key: later callers read it again. */
    forget: (key: string): void => {
      kept.delete(key)
      running.delete(key)
    },

    /** Drops all keys whose value is `stale`, and all keys being read, whose values are not known yet. */
    forgetWhere: (stale: (value: Value) => boolean): void => {
      for (const [key, { value }] of kept) if (value !== undefined && stale(value)) kept.delete(key)
      running.clear()
    },

    /** Drops all keys. */
    forgetAll: (): void => {
      kept.clear()
      running.clear()
    },
  }
}
