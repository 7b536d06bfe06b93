import type { ReactNode } from 'react'
import type { Resource } from '../app/resource.ts'
import { FailureNotice } from './notice.tsx'

type Props<T> = {
  resource: Resource<T>
  /** What is being read, for "Loading …". */
  what: string
  reload?: () => void
  children: (value: T) => ReactNode
}

/** Shows a resource in each of its states; a failed refresh shows above what is still known. */
export function Loaded<T>({ resource, what, reload, children }: Props<T>) {
  if (resource.state === 'loading') return <Loading what={what} />
  if (resource.state === 'failed')
    return <FailureNotice failure={resource.failure} {...(reload === undefined ? {} : { retry: reload })} />
  return (
    <>
      <FailureNotice failure={resource.trouble} {...(reload === undefined ? {} : { retry: reload })} />
      {children(resource.value)}
    </>
  )
}

/** A quiet placeholder; it shows after a moment, so that quick answers do not flicker. */
export function Loading({ what }: { what: string }) {
  return (
    <div className="loading" role="status">
      <span className="spinner" aria-hidden="true" />
      <span>Loading {what}…</span>
    </div>
  )
}
