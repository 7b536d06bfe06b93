import type { UseQueryResult } from '@tanstack/react-query'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { Check, RefreshCw, WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { ageText, freshnessOf, trueUntil } from './freshness.ts'
import { useLiveState } from './live-state.tsx'
import { useIsOnline } from './online.ts'

const looks = {
  live: { Icon: Check, word: 'Live' },
  reconnecting: { Icon: RefreshCw, word: 'Reconnecting' },
  offline: { Icon: WifiOff, word: 'Offline' },
}

/** How fresh the queries of a page are. Screen readers hear when the state changes, not the age every second. */
export function LiveAge({ queries }: { queries: UseQueryResult[] }) {
  const isOnline = useIsOnline()
  const { asOf, now } = useTrueUntil(queries)
  if (asOf === 0) return null
  const ageMs = now - asOf
  const state = freshnessOf({ ageMs, isOnline })
  const { Icon, word } = looks[state]
  return (
    <p className="live-age" data-state={state}>
      <span className="live-word">
        <Icon size={16} strokeWidth={2.2} aria-hidden="true" />
        <span role="status">{word}</span>
      </span>
      <span>{state === 'live' ? ageText(ageMs) : `Last read ${ageText(ageMs)}`}</span>
    </p>
  )
}

function useTrueUntil(queries: UseQueryResult[]) {
  const { isOpen, heardAt } = useLiveState()
  const [shown, setShown] = useState({ asOf: 0, now: 0 })
  const readAt = Math.min(...queries.map(({ dataUpdatedAt }) => dataUpdatedAt))
  const isTold = isOpen && queries.every(({ error, isFetching }) => error === null && !isFetching)

  useEffect(() => {
    const look = () =>
      setShown(({ asOf }) => ({
        asOf: trueUntil(asOf, { readAt, heardAt: heardAt(), isTold }),
        now: systemClock.now().getTime(),
      }))
    look()
    const timer = setInterval(look, 1_000)
    return () => clearInterval(timer)
  }, [readAt, isTold, heardAt])

  return shown
}
