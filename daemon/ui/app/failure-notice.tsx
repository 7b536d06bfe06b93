import { useEffect, useState, type ReactNode } from 'react'
import type { Refusal } from '../api/refusal.ts'
import { failureText } from './failure-text.ts'
import { Icon } from './icon.tsx'

type Props = {
  refusal: Refusal
  /** `h1` where the notice is all that the page shows. */
  heading?: 'h1' | 'h2'
  retryInSeconds?: number | undefined
  onRetry?: () => void
  children?: ReactNode
}

/** Says what failed, what to do, and when it is retried; further actions come as children. */
export function FailureNotice({ refusal, heading: Heading = 'h2', retryInSeconds, onRetry, children }: Props) {
  // The page as a whole shows that an entry has ended.
  if (refusal.code === 'unauthenticated') return null
  const { title, advice } = failureText(refusal)
  return (
    <section className="notice" role="alert">
      <Icon name="warning" />
      <Heading>{title}</Heading>
      <p>{advice}</p>
      {retryInSeconds !== undefined && <Countdown key={refusal.requestId} seconds={retryInSeconds} />}
      <div className="notice-actions">
        {children}
        {onRetry && (
          <button type="button" className="button" onClick={onRetry}>
            Try again
          </button>
        )}
      </div>
      {refusal.requestId && <p className="notice-id">Request id: {refusal.requestId}</p>}
    </section>
  )
}

function Countdown({ seconds }: { seconds: number }) {
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    const timer = setInterval(() => setLeft((left) => Math.max(0, left - 1)), 1000)
    return () => clearInterval(timer)
  }, [])
  return <p className="notice-wait">{left > 0 ? `Trying again in ${left} s` : 'Trying again…'}</p>
}
