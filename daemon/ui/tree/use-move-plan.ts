import { useEffect, useState } from 'react'
import type { Moved } from '@svc/shared/wire/daemon/daemon-moves.api.ts'
import { asRefusal, type Refusal } from '../api/refusal.ts'
import { useServices } from '../app/services.ts'

/** The plan of a move, as the daemon computes it without moving anything. */
export type MovePlan =
  { state: 'none' | 'asking' } | { state: 'ready'; plan: Moved } | { state: 'refused'; refusal: Refusal }

const TYPING_MS = 300

/** Requests the plan of a move when nobody has typed for a moment. */
export function useMovePlan(vaultId: string, { from, to }: { from: string; to: string | undefined }): MovePlan {
  const { client } = useServices()
  const [asked, setAsked] = useState<{ to: string; plan: MovePlan }>()

  useEffect(() => {
    if (to === undefined || to === from) return
    const stop = new AbortController()
    const settle = (plan: MovePlan) => {
      if (!stop.signal.aborted) setAsked({ to, plan })
    }
    const timer = setTimeout(() => {
      client.planMove(vaultId, { from, to }, stop.signal).then(
        (plan) => settle({ state: 'ready', plan }),
        (thrown: unknown) => settle({ state: 'refused', refusal: asRefusal(thrown) }),
      )
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [client, vaultId, from, to])

  if (to === undefined || to === from) return { state: 'none' }
  return asked?.to === to ? asked.plan : { state: 'asking' }
}
