import { isKnownReason } from '@svc/shared/wire/daemon/condition-messages.ts'
import {
  findCondition,
  observedStates,
  type ManagedDaemon,
  type ObservedState,
} from '@svc/shared/wire/managed-daemon.ts'

/** How many daemons are in which state, and how many of them have been degraded for a while, by the reason. */
export type Census = {
  states: Readonly<Record<ObservedState, number>>
  degraded: readonly { state: ObservedState; reason: string; count: number }[]
}

/** A tunnel that reconnects or a pod that is replaced is no news. */
const LASTING_MS = 5 * 60_000

/** Counts daemons by what their statuses say. A paused one is left out of the degraded ones. Pure. */
export function takeCensus(daemons: Iterable<Pick<ManagedDaemon, 'spec' | 'status'>>, now: Date): Census {
  const states = Object.fromEntries(observedStates.map((state) => [state, 0])) as Record<ObservedState, number>
  const degraded = new Map<string, Census['degraded'][number]>()
  for (const { spec, status } of daemons) {
    const state = status.observedState
    states[state] += 1
    const condition = findCondition(status, 'Degraded')
    if (spec.paused || condition?.status !== 'True') continue
    if (now.getTime() - Date.parse(condition.lastTransitionTime) < LASTING_MS) continue

    const reason = isKnownReason(condition.reason) ? condition.reason : 'Other'
    const count = (degraded.get(`${state} ${reason}`)?.count ?? 0) + 1
    degraded.set(`${state} ${reason}`, { state, reason, count })
  }
  return { states, degraded: [...degraded.values()] }
}
