import { useQuery, type QueryKey } from '@tanstack/react-query'
import { useChangesAreTold } from './live-state.tsx'

/** How often to read where the server tells what changes: only what is measured and never told, such as storage used. */
const TOLD_MS = 30_000

type Options<T> = {
  queryKey: QueryKey
  queryFn: (context: { signal: AbortSignal }) => Promise<T>
  /** Milliseconds until the next read while the server does not tell what changes; undefined: no more. */
  every: (known: T | undefined) => number | undefined
}

/** Reads what changes by itself: when the server says so, otherwise again and again while the page is visible. */
export function useLiveQuery<T>({ every, ...query }: Options<T>) {
  const told = useChangesAreTold()
  return useQuery({
    ...query,
    refetchInterval: ({ state }) => {
      const wait = every(state.data)
      if (wait === undefined) return false
      return told && state.error === null ? Math.max(wait, TOLD_MS) : wait
    },
  })
}
