import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Eventual } from '@svc/shared/kit/eventual.ts'
import { createInBatches } from '../db/in-batches.ts'

/** Maximum number of keys per query. */
const MOST_AT_ONCE = 200

type Options<Value> = {
  /** Reads many keys in one query. A key that is absent from the result has no value. */
  readAll: (keys: string[]) => Promise<Map<string, Value>>
  /** Maximum age of a returned value, counted from the start of its query. */
  freshMs: number
  /** Maximum number of cached keys. When it is reached, the cache is cleared. */
  maxKept: number
  clock: Pick<Clock, 'monotonic'>
}
type Row<Value> = { value: Value | undefined; readAt: number }

/**
 * Caches rows that every request needs, by key. The absence of a row is cached, too. A key in use is read again before
 * its value is too old, so its callers never wait. Keys that are requested together are read together.
 */
export function keepLookups<Value>({ readAll, freshMs, maxKept, clock }: Options<Value>) {
  const kept = new Map<string, Row<Value>>()
  const reading = new Map<string, Promise<Value | undefined>>()
  const readInBatch = createInBatches<string, Row<Value>>({
    run: async (keys) => {
      const readAt = clock.monotonic()
      const found = await readAll(keys)
      return keys.map((key) => ({ value: found.get(key), readAt }))
    },
    most: MOST_AT_ONCE,
  })

  const read = (key: string): Promise<Value | undefined> => {
    const shared = reading.get(key)
    if (shared !== undefined) return shared
    // A key that was forgotten in the meantime is no longer in `reading`. Earlier callers get its value; it is not
    // cached.
    const leave = () => reading.get(key) === lookup && reading.delete(key)
    const lookup: Promise<Value | undefined> = readInBatch(key).then(
      (row) => {
        if (leave()) {
          if (kept.size >= maxKept) kept.clear()
          kept.set(key, row)
        }
        return row.value
      },
      (error: unknown) => {
        leave()
        throw error
      },
    )
    reading.set(key, lookup)
    return lookup
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
      reading.delete(key)
    },

    /** Drops all keys whose value is `stale`, and all keys being read, whose values are not known yet. */
    forgetWhere: (stale: (value: Value) => boolean): void => {
      for (const [key, { value }] of kept) if (value !== undefined && stale(value)) kept.delete(key)
      reading.clear()
    },

    /** Drops all keys. */
    forgetAll: (): void => {
      kept.clear()
      reading.clear()
    },
  }
}
