import { systemClock } from '@svc/shared/kit/clock.ts'
import { useEffect, useState } from 'react'
import { relativeTime } from './relative-time.ts'

/** A time as people say it, exact on hover, kept current. */
export function Time({ at }: { at: string }) {
  const [now, setNow] = useState(() => systemClock.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(systemClock.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {relativeTime(at, now)}
    </time>
  )
}
