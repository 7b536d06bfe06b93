import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toFailure } from '../api-failure.ts'
import { FailureNotice } from './notice.tsx'

type Props<T> = {
  query: UseQueryResult<T>
  /** The name of what is being read, for "Loading …". */
  what: string
  children: (value: T) => ReactNode
}

/** Shows a query in each of its states. If a refresh fails, the failure is shown above the old data. */
export function Loaded<T>({ query, what, children }: Props<T>) {
  if (query.isPending) return <Loading what={what} />
  const retry = () => void query.refetch()
  const failure = query.error === null ? undefined : toFailure(query.error)
  if (query.data === undefined) return <FailureNotice failure={failure} retry={retry} />
  return (
    <>
      {failure !== undefined && (
        <div className="loaded-failure">
          <FailureNotice failure={failure} retry={retry} />
        </div>
      )}
      {children(query.data)}
    </>
  )
}

/** A placeholder that appears after a moment, so that quick responses do not flicker. */
export function Loading({ what }: { what: string }) {
  return (
    <div className="loading" role="status">
      <span className="spinner" aria-hidden="true" />
      <span>Loading {what}…</span>
    </div>
  )
}
