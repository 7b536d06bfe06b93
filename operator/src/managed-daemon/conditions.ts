import { messageOf } from '@svc/shared/wire/daemon/condition-messages.ts'
import {
  conditionTypes,
  findCondition,
  isRefusedImage,
  type Condition,
  type ConditionType,
  type ManagedDaemonStatus,
} from '@svc/shared/wire/managed-daemon.ts'
import type { MachineProblem, Observed } from './observed.ts'
import { isVolumeLost } from './plan-volume.ts'
import { failureReasons, type Step } from './step.ts'
import { tunnelOf } from './tunnel.ts'

type Judgement = { status: Condition['status']; reason: string; message?: string }

const yes = (reason: string, message?: string): Judgement => ({ status: 'True', reason, message })
const no = (reason: string, message?: string): Judgement => ({ status: 'False', reason, message })

const NEARLY_FULL = 0.9
const LONGEST_MESSAGE = 1_000

/** All conditions of a daemon, from the status to be written and the steps to be taken. */
export function conditions(observed: Observed, status: ManagedDaemonStatus, steps: readonly Step[]): Condition[] {
  const judged: Record<ConditionType, Judgement> = {
    Ready: ready(observed, status, steps),
    Progressing: progressing(observed, steps),
    Degraded: degraded(observed, status, steps),
    Paused: observed.daemon.spec.paused ? yes('PausedBySpec') : no('NotPaused'),
    Sleeping: status.observedState === 'sleeping' ? yes('Asleep') : no('Awake'),
    ImageResolved: imageResolved(observed, status),
    StorageHealthy: storageHealthy(observed, status),
    RelayConnected: relayConnected(observed, status),
    KeyRotated: keyRotated(observed),
  }
  return conditionTypes.map((type) => stamp(observed, type, judged[type]))
}

/** The status with a failed step in it. The same failure again gives the same status. */
export function reportFailure(
  observed: Observed,
  status: ManagedDaemonStatus,
  { step, message }: { step: Exclude<Step, { kind: 'wait' }>; message: string },
): ManagedDaemonStatus {
  return withDegraded(observed, status, yes(failureReasons[step.kind], message))
}

/** The status with a refused growth in it, judged as the next pass judges it: a graver trouble is not hidden. */
export function reportRefusedGrowth(observed: Observed, status: ManagedDaemonStatus, steps: readonly Step[]) {
  const rest = steps.filter(({ kind }) => kind !== 'grow_volume')
  return withDegraded(observed, status, degraded(observed, status, rest))
}

function withDegraded(observed: Observed, status: ManagedDaemonStatus, judgement: Judgement): ManagedDaemonStatus {
  const stamped = stamp(observed, 'Degraded', judgement)
  return { ...status, conditions: status.conditions.map((each) => (each.type === 'Degraded' ? stamped : each)) }
}

function ready(observed: Observed, status: ManagedDaemonStatus, steps: readonly Step[]): Judgement {
  const { observedState } = status
  if (observedState === 'running') return yes('Serving')
  if (observedState === 'sleeping') return no('Asleep')
  if (isVolumeLost(observed)) return no('VolumeLost')
  return no(observed.children.machine?.problem?.reason ?? obstacle(observed, status, steps) ?? 'NotServing')
}

function progressing(observed: Observed, steps: readonly Step[]): Judgement {
  const { daemon, children } = observed
  if (daemon.spec.paused) return no('PausedBySpec')
  if (children.foreign.length > 0) return no('ForeignObject')
  if (isVolumeLost(observed)) return no('VolumeLost')
  // What is done says more than what is waited for beside it.
  const step = steps.find(({ kind }) => kind !== 'wait') ?? steps[0]
  return step ? yes(step.reason) : no('AsDesired')
}

function degraded(observed: Observed, status: ManagedDaemonStatus, steps: readonly Step[]): Judgement {
  const { daemon, children } = observed
  const { machine, workload, foreign } = children
  if (foreign.length > 0) return yes('ForeignObject', `${foreign.join(', ')}: there already, and not ours.`)
  if (isVolumeLost(observed)) return yes('VolumeLost', status.observedState === 'failed' ? undefined : ONLY_COPY)
  if (machine?.state === 'lost') return yes('NodeLost', machine.problem?.message)
  if (status.failedRoll && isRefusedImage(daemon.spec, status))
    return yes('OperationFailed', `${status.failedRoll.image} failed: ${causeOf(status.failedRoll)}`)
  if (status.operation?.outcome === 'failed' && status.operation.id === daemon.spec.operation?.id)
    return yes('OperationFailed', causeOf(status.operation))
  if (machine?.problem) return yes(machine.problem.reason, describe(machine.problem))
  if (machine === undefined && workload?.noMachine && status.observedState === 'degraded')
    return yes('PodNotCreated', workload.noMachine.message)

  // A failed step is about to be retried: the failure stays until the step has worked.
  const before = findCondition(daemon.status, 'Degraded')
  const pending = steps.some((step) => step.kind !== 'wait' && failureReasons[step.kind] === before?.reason)
  if (before?.status === 'True' && pending) return yes(before.reason, before.message)

  if (status.observedState === 'degraded') return yes(obstacle(observed, status, steps) ?? 'RelayNotConnected')
  if (status.failedGrowth === undefined) return no('AsDesired')
  const reason = failureReasons.grow_volume
  return yes(reason, causeOf({ reason, message: status.failedGrowth.message }))
}

// A daemon that has lost its tunnel lacks just that, whatever else is waited for or done about it.
function obstacle(observed: Observed, { observedState }: ManagedDaemonStatus, steps: readonly Step[]) {
  const isCutOff = observedState === 'degraded' && observed.children.machine?.state === 'ready'
  return isCutOff && !tunnelOf(observed).connected ? 'RelayNotConnected' : steps[0]?.reason
}

const ONLY_COPY =
  'The volume is gone or is being deleted, and the pod has the only copy; nothing stops it. Take a backup, then delete the pod and reinstall the daemon.'

const PULL_ADVICE =
  'See that the registry answers and that the pull secret is in the namespace of the daemon; the node tries again.'

const describe = ({ message, external }: MachineProblem) =>
  external ? [PULL_ADVICE, message].filter(Boolean).join(' ') : message

// The sentence for the reason, then what the runtime said of it.
const causeOf = ({ reason = 'Failed', message = '' }: { reason?: string; message?: string }) =>
  [messageOf(reason), message].filter(Boolean).join(' ')

function imageResolved({ daemon, image }: Observed, status: ManagedDaemonStatus): Judgement {
  if (status.failedRoll && isRefusedImage(daemon.spec, status)) return no(status.failedRoll.reason)
  return image.state === 'allowed' ? yes('ImageAllowed') : no(image.reason, image.message)
}

function storageHealthy({ children }: Observed, { storage }: ManagedDaemonStatus): Judgement {
  if (children.volume === undefined || storage === undefined) return { status: 'Unknown', reason: 'NotMeasured' }
  const full = storage.capacityBytes > 0 && storage.usedBytes >= storage.capacityBytes * NEARLY_FULL
  return full ? no('NearlyFull') : yes('RoomLeft')
}

function relayConnected(observed: Observed, { observedState }: ManagedDaemonStatus): Judgement {
  const { connected, known } = tunnelOf(observed)
  if (connected) return yes('TunnelOpen')
  if (observedState === 'sleeping') return no('Asleep')
  const { machine } = observed.children
  // A lost machine is not asked: its network may work although its kubelet does not.
  const mayServe = machine?.state === 'lost' || (machine?.state === 'ready' && observedState !== 'starting')
  return mayServe && !known ? { status: 'Unknown', reason: 'NoAnswer' } : no('NoTunnel')
}

function keyRotated({ daemon: { spec }, children: { keys } }: Observed): Judgement {
  if (keys.current === undefined) return no(keys.held.length > 0 ? 'KeyNotAccepted' : 'KeyMissing')
  const { current } = keys
  if (keys.held.some(({ generation }) => generation < current)) return no('TunnelOnOldKey')
  return current < spec.relay.keyGeneration || keys.held.length > 1 ? no('KeyNotAccepted') : yes('KeyCurrent')
}

function stamp({ daemon, now }: Observed, type: ConditionType, { status, reason, message }: Judgement): Condition {
  const before = findCondition(daemon.status, type)
  return {
    type,
    status,
    observedGeneration: daemon.generation,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : now.toISOString(),
    reason,
    message: (message || messageOf(reason)).slice(0, LONGEST_MESSAGE),
  }
}
