import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import type { Wake } from '../managed-daemons/wake-daemon.ts'
import { takeTurn, type AdvanceDeps } from './advance-rollout.ts'

/**
 * Wakes a sleeping daemon with the image roll that a rollout deferred, so that one patch carries image and state. False
 * when none is deferred, or the roll is out of date by now, or was not opened: the caller wakes it normally.
 */
export function createRollAtWake(deps: AdvanceDeps) {
  return async (orgId: string): Promise<boolean> => {
    const member = await deps.members.findDeferred(orgId)
    if (member === undefined) return false
    const rollout = await deps.rollouts.find(member.rolloutId)
    if (rollout === undefined) return false
    const outcome = await takeTurn(deps, member, { rollout, from: 'deferred', wakes: true })
    // It waits for the end of that operation, or for the next wake.
    if (outcome === 'busy')
      await deps.members.update(rollout.id, orgId, { from: ['rolling'], to: 'deferred', reason: undefined })
    return outcome === 'rolling'
  }
}

type EndDeps = {
  store: AdvanceDeps['store']
  members: Pick<AdvanceDeps['members'], 'findDeferred'>
  rollAtWake(orgId: string): Promise<boolean>
  log: AdvanceDeps['log']
}

/**
 * Rolls an awake daemon to the image that a rollout deferred. Call it at the end of each operation: one that has to
 * query a daemon wakes it with the image that it had.
 */
export function createRollAwake({ store, members, rollAtWake, log }: EndDeps) {
  return async (orgId: string): Promise<void> => {
    try {
      if ((await members.findDeferred(orgId)) === undefined) return
      const daemon = await store.find(managedDaemonName(orgId))
      if (daemon?.spec.desiredState === 'running') await rollAtWake(orgId)
    } catch (err) {
      log.warn({ err, orgId }, 'a deferred roll was not begun; it follows with the next wake')
    }
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
