import { replaceEqualDeep, useQuery, type QueryKey } from '@tanstack/react-query'
import { useLiveState } from './live-state.tsx'

/**
 * The interval of reads while the event stream is connected. Needed for values that no event announces, such as used
 * storage.
 */
const TOLD_MS = 30_000

type Options<T> = {
  queryKey: QueryKey
  queryFn: (context: { signal: AbortSignal }) => Promise<T>
  /** Milliseconds until the next read while the event stream is not connected; undefined to stop reading. */
  every: (known: T | undefined) => number | undefined
  /**
   * True if the value contains something that no event announces and that people watch, such as the activity of
   * programs. It is then read as often with the event stream as without.
   */
  isWatched?: (known: T | undefined) => boolean
  /** Adds to what was just read what is kept of the value before. */
  merge?: (known: T | undefined, read: T) => T
}

/**
 * A query that stays current: read again when the server announces a change, or at intervals while the page is visible.
 */
export function useLiveQuery<T>({ every, isWatched, merge = (_known, read) => read, ...query }: Options<T>) {
  const { isOpen } = useLiveState()
  return useQuery({
    ...query,
    structuralSharing: (known, read) => replaceEqualDeep(known, merge(known as T | undefined, read as T)),
    refetchInterval: ({ state }) => {
      const wait = every(state.data)
      if (wait === undefined) return false
      const isTold = isOpen && state.error === null && isWatched?.(state.data) !== true
      return isTold ? Math.max(wait, TOLD_MS) : wait
    },
  })
}
