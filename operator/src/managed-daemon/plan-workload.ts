import { effectiveImage, isRefusedImage, type ManagedDaemonStatus } from '@svc/shared/wire/managed-daemon.ts'
import type { Observed } from './observed.ts'
import { waitsForTunnel } from './plan-keys.ts'
import { tunnelOf } from './tunnel.ts'
import type { Step } from './step.ts'

/** What to do about the workload, under the status to be written. */
export function planWorkload(observed: Observed, status: ManagedDaemonStatus): Step[] {
  const { spec } = observed.daemon
  const { keys, machine, workload } = observed.children
  const refused = isRefusedImage(spec, status)

  if (spec.desiredState === 'sleeping') return planStop(observed, 'GoingToSleep')
  if (refused && status.lastGoodImage === undefined) return planStop(observed, 'ImageFailed')
  // The first pod waits for a key that the relay accepts.
  if (keys.current === undefined) return [{ kind: 'wait', reason: 'KeyNotAccepted' }]

  const image = effectiveImage(spec, status)
  const isCurrent = workload?.image === image && !workload.outdated
  if (machine === undefined && !(workload?.running && isCurrent))
    return [{ kind: 'start_workload', image, reason: 'Starting' }]
  if (!workload?.running) return [{ kind: 'wait', reason: 'MachineNotStopped' }]

  // One reason for the whole start: a waking fleet must not cause a stream of status writes.
  const served = ['running', 'degraded'].includes(observed.daemon.status.observedState)
  if (machine === undefined) return [{ kind: 'wait', reason: served ? 'MachineNotReady' : 'Starting' }]
  const renewal: Step[] = [{ kind: 'renew_workload', image, reason: 'Renewing' }]
  // Its successor is made as soon as it is gone.
  if (machine.state === 'stopping') return isCurrent ? [{ kind: 'wait', reason: 'MachineNotStopped' }] : renewal
  if (machine.image !== image) {
    // The new machine starts with the new key, so it need not wait until the mounted file follows.
    const keyIsDecided = refused || keys.current >= spec.relay.keyGeneration || waitsForTunnel(observed)
    if (!keyIsDecided) return [{ kind: 'wait', reason: 'KeyNotAccepted' }]
    // A failed image may answer no flush. It must not hold up the way back, and its stop flushes as well.
    const flush = refused && machine.image === spec.image ? [] : flushFirst(observed)
    return [...flush, { kind: 'roll_workload', image, reason: refused ? 'RollingBack' : 'Rolling' }]
  }

  // What runs keeps its template until it stops. Only the image has to be right at any time: somebody changed it.
  const isOutdated = workload.outdated || machine.template === 'outdated'
  if (workload.image !== image || (machine.state === 'stuck' && isOutdated)) return renewal

  if (machine.state !== 'ready')
    return [{ kind: 'wait', reason: served || machine.problem ? 'MachineNotReady' : 'Starting' }]
  if (!tunnelOf(observed).connected) return [{ kind: 'wait', reason: served ? 'RelayNotConnected' : 'Starting' }]
  return image === status.lastGoodImage ? [] : [{ kind: 'wait', reason: 'ImageUnproven' }]
}

/** Stops what runs, after a flush if the daemon can be asked for one. */
export function planStop(observed: Observed, reason: 'GoingToSleep' | 'ImageFailed' | 'Deleting'): Step[] {
  const { workload, machine } = observed.children
  if (workload?.running) return [...flushFirst(observed), { kind: 'stop_workload', reason }]
  return machine === undefined ? [] : [{ kind: 'wait', reason: 'MachineNotStopped' }]
}

const flushFirst = ({ children: { machine } }: Observed): Step[] =>
  machine?.state === 'ready' ? [{ kind: 'flush', reason: 'FlushingBeforeStop' }] : []
