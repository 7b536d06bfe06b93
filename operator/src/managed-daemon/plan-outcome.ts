import {
  effectiveImage,
  findCondition,
  isRefusedImage,
  LONGEST_CAUSE,
  type ManagedDaemonSpec,
  type ManagedDaemonStatus,
} from '@svc/shared/wire/managed-daemon.ts'
import { quantityBytes } from '@svc/shared/wire/quantity.ts'
import type { Observed } from './observed.ts'
import { isLate, type PlanLimits } from './plan-limits.ts'
import { isGrowthRefused } from './plan-volume.ts'
import { failureReasons, type Step } from './step.ts'
import { tunnelOf } from './tunnel.ts'

type Failure = { reason: string; message: string }

/**
 * The status with an updated runtime marker: a new operation is recorded before anything is touched, and an image that
 * does not start is recorded as failed, together with the operation that requested it.
 */
export function markOperation(observed: Observed, limits: PlanLimits): ManagedDaemonStatus {
  const { spec, status } = observed.daemon
  const next: ManagedDaemonStatus = { ...status }
  if (spec.operation && status.operation?.id !== spec.operation.id)
    next.operation = { id: spec.operation.id, outcome: 'executing' }
  if (!isRefusedImage(spec, status)) delete next.failedRoll
  if (!isGrowthRefused(observed)) delete next.failedGrowth
  // The image that serves while another is requested is the one to go back to, even if it has served only briefly.
  if (status.image !== undefined && status.image !== spec.image) next.lastGoodImage ??= status.image

  const failure = imageFailure(observed, next, limits)
  return failure ? withFailedImage(spec, next, failure) : next
}

/**
 * The status of an operation that has nothing left to do; any other status unchanged. Only an operation that asked for
 * growth waits for a volume to get its size: a growth that is refused or never completed must not hold up a roll.
 */
export function markSuccess(status: ManagedDaemonStatus, { spec, steps }: { spec: ManagedDaemonSpec; steps: Step[] }) {
  const { operation } = status
  if (operation?.outcome !== 'executing' || operation.id !== spec.operation?.id) return status
  const isGrowth = spec.operation.action === 'storage_grow'
  const isOfVolume = ({ reason }: Step) => reason === 'VolumeTooSmall' || reason === 'VolumeNotGrown'
  if (steps.some((step) => isGrowth || !isOfVolume(step))) return status
  // While asleep, an image that never ran has proved nothing yet.
  const unproven = spec.operation.action === 'image_roll' && status.lastGoodImage !== spec.image
  if (unproven) return status
  return { ...status, operation: { id: operation.id, outcome: 'succeeded' as const } }
}

/**
 * The status after a step that the runtime refused for good: an executing operation has failed. A refused growth is
 * remembered, and fails only an operation that asked for that size.
 */
export function markRefusal(
  spec: ManagedDaemonSpec,
  status: ManagedDaemonStatus,
  { step, message }: { step: Exclude<Step, { kind: 'wait' }>; message: string },
): ManagedDaemonStatus {
  const { operation } = status
  const next: ManagedDaemonStatus = { ...status }
  if (step.kind === 'grow_volume') {
    // The smallest refused size counts: with a larger one, a size between the two would be tried again and again.
    const sizeBytes = Math.min(step.sizeBytes, status.failedGrowth?.sizeBytes ?? Infinity)
    next.failedGrowth = { sizeBytes, operationId: spec.operation?.id, ...causeOf(message) }
  }
  const isAsked = step.kind === 'grow_volume' && step.sizeBytes === quantityBytes(spec.storage.size)
  const concerns = step.kind !== 'grow_volume' || (isAsked && spec.operation?.action === 'storage_grow')
  if (concerns && operation?.outcome === 'executing')
    next.operation = { id: operation.id, outcome: 'failed', reason: failureReasons[step.kind], ...causeOf(message) }
  return next
}

const causeOf = (message: string) => (message === '' ? {} : { message: message.slice(0, LONGEST_CAUSE) })

function imageFailure(observed: Observed, status: ManagedDaemonStatus, limits: PlanLimits): Failure | undefined {
  const { daemon, children, image: verdict } = observed
  const image = effectiveImage(daemon.spec, status)
  if (image === status.lastGoodImage || isRefusedImage(daemon.spec, status)) return undefined
  if (verdict.state === 'refused') return verdict

  const { machine, workload } = children
  // The corrected settings may let the image run.
  if (workload?.outdated && machine === undefined) return undefined
  if (machine?.problem && (workload?.outdated || ['outdated', 'unknown'].includes(machine.template ?? '')))
    return undefined
  const isLateRoll = isLate(observed, limits) && status.lastGoodImage !== undefined
  if (machine === undefined && workload?.noMachine !== undefined && workload.image === image && isLateRoll)
    return { reason: 'PodNotCreated', message: workload.noMachine.message }
  if (machine === undefined || machine.image !== image || machine.state === 'lost') return undefined
  const { problem } = machine
  if (problem?.fatal && !(problem.external && status.lastGoodImage === undefined)) return problem

  // Without an earlier image to go back to, a timeout is no failure: retrying is the only option.
  if (!isLateRoll) return undefined
  if (machine.state !== 'ready') return problem ?? { reason: 'MachineNotReady', message: '' }
  const { connected, known } = tunnelOf(observed)
  if (connected || (!known && !isSilent(observed, limits))) return undefined
  return { reason: 'RelayNotConnected', message: '' }
}

// Whether the daemon has given no answer for as long as a start may take. The time counts from the first lost answer,
// not from the start: the image may have served for long while no operator looked.
function isSilent({ daemon, now }: Observed, { startDeadlineMs }: PlanLimits): boolean {
  const tunnel = findCondition(daemon.status, 'RelayConnected')
  return tunnel?.status === 'Unknown' && now.getTime() - Date.parse(tunnel.lastTransitionTime) > startDeadlineMs
}

function withFailedImage(spec: ManagedDaemonSpec, status: ManagedDaemonStatus, { reason, message }: Failure) {
  const failed: ManagedDaemonStatus = {
    ...status,
    failedRoll: { image: spec.image, operationId: spec.operation?.id, reason, ...causeOf(message) },
  }
  if (status.operation && status.operation.id === spec.operation?.id && status.operation.outcome === 'executing')
    failed.operation = { id: status.operation.id, outcome: 'failed', reason, ...causeOf(message) }
  return failed
}
