import type { ReactNode } from 'react'
import type { ApiFailure } from '../api-failure.ts'
import { explain } from '../app/explain.ts'
import { Button } from './button.tsx'

type Tone = 'info' | 'good' | 'warning' | 'danger'
type Props = { tone?: Tone; title?: ReactNode; children?: ReactNode; action?: ReactNode }

/** A short message in the flow of the page. Screen readers announce a failure at once, and other messages when idle. */
export function Notice({ tone = 'info', title, children, action }: Props) {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'danger' ? 'alert' : 'status'}>
      <div className="notice-text">
        {title !== undefined && <p className="notice-title">{title}</p>}
        {children}
      </div>
      {action}
    </div>
  )
}

/** What went wrong, what to do about it, and the request id under which it is in the log. */
export function FailureNotice({ failure, retry }: { failure: ApiFailure | undefined; retry?: () => void }) {
  if (failure === undefined) return null
  return (
    <Notice
      tone="danger"
      action={
        retry && (
          <Button size="small" onClick={retry}>
            Try again
          </Button>
        )
      }
    >
      <p>{explain(failure)}</p>
      {failure.requestId !== undefined && failure.status >= 500 && (
        <p className="fine">
          Request id <code>{failure.requestId}</code>
        </p>
      )}
    </Notice>
  )
}
