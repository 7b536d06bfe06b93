import { systemClock } from '@svc/shared/kit/clock.ts'
import { useEffect, useState } from 'react'
import { relativeTime } from './relative-time.ts'

/** A time in everyday words, kept current; the exact time shows on hover. */
export function Time({ at }: { at: string }) {
  const [, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 30_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {relativeTime(at, systemClock.now())}
    </time>
  )
}
