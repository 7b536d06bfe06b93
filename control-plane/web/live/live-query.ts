import { useQuery, type QueryKey } from '@tanstack/react-query'
import { useLiveState } from './live-state.tsx'

/**
 * The interval of reads beside the event stream, for values that are measured and never announced, such as used
 * storage.
 */
const TOLD_MS = 30_000

type Options<T> = {
  queryKey: QueryKey
  queryFn: (context: { signal: AbortSignal }) => Promise<T>
  /** Milliseconds until the next read without the event stream; undefined for no more reads. */
  every: (known: T | undefined) => number | undefined
  /**
   * True while the value holds what no event announces and people watch: what hosts count, how often programs call. It
   * is then read as often beside the event stream.
   */
  isWatched?: (known: T | undefined) => boolean
}

/**
 * A query that stays current: read again when the server announces a change, or at intervals while the page is visible.
 */
export function useLiveQuery<T>({ every, isWatched, ...query }: Options<T>) {
  const { isOpen } = useLiveState()
  return useQuery({
    ...query,
    refetchInterval: ({ state }) => {
      const wait = every(state.data)
      if (wait === undefined) return false
      const isTold = isOpen && state.error === null && isWatched?.(state.data) !== true
      return isTold ? Math.max(wait, TOLD_MS) : wait
    },
  })
}
