import type { Wake } from '../managed-daemons/wake-daemon.ts'
import { takeTurn, type AdvanceDeps } from './advance-rollout.ts'

/**
 * Wakes a sleeping daemon with the image roll that a rollout deferred, so that one patch carries image and state. False
 * when none is deferred, or the roll is out of date by now: the caller wakes it normally.
 */
export function createRollAtWake(deps: AdvanceDeps) {
  return async (orgId: string): Promise<boolean> => {
    const member = await deps.members.findDeferred(orgId)
    if (member === undefined) return false
    const rollout = await deps.rollouts.find(member.rolloutId)
    if (rollout === undefined) return false
    return (await takeTurn(deps, member, { rollout, from: 'deferred', wakes: true })) === 'rolling'
  }
}

type WakeDeps = {
  /** Undefined where there are no rollouts. */
  rollAtWake: ((orgId: string) => Promise<boolean>) | undefined
  wake: Wake
}

/** Wakes a sleeping daemon, with the image roll that a rollout deferred for it, if there is one. */
export function createWakeByRoll({ rollAtWake, wake }: WakeDeps): Wake {
  return async (orgId, known) => (await rollAtWake?.(orgId)) || wake(orgId, known)
}
