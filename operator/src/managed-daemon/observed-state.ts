import { isRefusedImage, type ManagedDaemonStatus, type ObservedState } from '@svc/shared/wire/managed-daemon.ts'
import type { Observed } from './observed.ts'
import { isLate, type PlanLimits } from './plan-limits.ts'
import { isVolumeLost } from './plan-volume.ts'
import { tunnelOf } from './tunnel.ts'

/** The word for the present state of a daemon. */
export function observedState(observed: Observed, status: ManagedDaemonStatus, limits: PlanLimits): ObservedState {
  const { daemon, children } = observed
  const { machine, workload, volume, keys } = children
  if (daemon.deletedAt) return 'deleting'
  if (children.foreign.length > 0) return 'degraded'
  if (isVolumeLost(observed)) {
    // A volume that is being deleted stays while a pod uses it, and the daemon may serve again after a restart.
    if (machine === undefined || (volume === undefined && machine.state !== 'ready')) return 'failed'
    return machine.state === 'ready' && tunnelOf(observed).connected ? 'running' : 'degraded'
  }
  if (daemon.spec.desiredState === 'sleeping') {
    if (machine !== undefined || workload?.running) return 'stopping'
    return volume === undefined ? 'provisioning' : 'sleeping'
  }
  if (isRefusedImage(daemon.spec, status) && status.lastGoodImage === undefined) return 'failed'
  if (machine?.state === 'ready' && tunnelOf(observed).connected) return 'running'
  if (volume === undefined || keys.current === undefined) return 'provisioning'
  if (machine === undefined) return isLate(observed, limits) ? 'degraded' : 'starting'

  const served = daemon.status.observedState === 'running' || daemon.status.observedState === 'degraded'
  const cutOff = served && machine.state === 'ready' && machine.image === daemon.status.image
  return machine.problem || machine.state === 'lost' || cutOff || isLate(observed, limits) ? 'degraded' : 'starting'
}
