import { useQuery, type QueryKey } from '@tanstack/react-query'

type Options<T> = {
  queryKey: QueryKey
  queryFn: (context: { signal: AbortSignal }) => Promise<T>
  /** Milliseconds until the next read, by what is known so far; undefined: no more. */
  every: (known: T | undefined) => number | undefined
}

/** Reads what changes by itself, again and again while the page is visible. */
export function useLiveQuery<T>({ every, ...query }: Options<T>) {
  return useQuery({ ...query, refetchInterval: ({ state }) => every(state.data) ?? false })
}
