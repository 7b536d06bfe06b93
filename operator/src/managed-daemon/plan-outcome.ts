import {
  effectiveImage,
  isRefusedImage,
  type ManagedDaemonSpec,
  type ManagedDaemonStatus,
} from '@svc/shared/wire/managed-daemon.ts'
import type { Observed } from './observed.ts'
import type { PlanLimits } from './plan-limits.ts'
import { failureReasons, type Step } from './step.ts'
import { tunnelOf } from './tunnel.ts'

type Failure = { reason: string; message: string }

/**
 * The status with the runtime marker brought up to date: a new operation is noted before anything is touched, and an
 * image that does not come up is noted as failed, together with the operation that asked for it.
 */
export function markOperation(observed: Observed, limits: PlanLimits): ManagedDaemonStatus {
  const { spec, status } = observed.daemon
  const next: ManagedDaemonStatus = { ...status }
  if (spec.operation && status.operation?.id !== spec.operation.id)
    next.operation = { id: spec.operation.id, outcome: 'executing' }
  if (!isRefusedImage(spec, status)) delete next.failedRoll
  // What serves while another image is asked for is the one to return to, even if it has served for a moment only.
  if (status.image !== undefined && status.image !== spec.image) next.lastGoodImage ??= status.image

  const failure = imageFailure(observed, next, limits)
  return failure ? withFailedImage(spec, next, failure) : next
}

/** The status of an operation that has nothing left to do; other statuses as they are. */
export function markSuccess(status: ManagedDaemonStatus, { spec, steps }: { spec: ManagedDaemonSpec; steps: Step[] }) {
  const { operation } = status
  if (operation?.outcome !== 'executing' || operation.id !== spec.operation?.id || steps.length > 0) return status
  // Asleep, an image that never ran has proved nothing yet.
  const unproven = spec.operation.action === 'image_roll' && status.lastGoodImage !== spec.image
  if (unproven) return status
  return { ...status, operation: { id: operation.id, outcome: 'succeeded' as const } }
}

/** The status after a step that the runtime refused for good: an executing operation has failed. */
export function markRefusal(status: ManagedDaemonStatus, step: Exclude<Step, { kind: 'wait' }>): ManagedDaemonStatus {
  if (status.operation?.outcome !== 'executing') return status
  return { ...status, operation: { id: status.operation.id, outcome: 'failed', reason: failureReasons[step.kind] } }
}

function imageFailure(observed: Observed, status: ManagedDaemonStatus, limits: PlanLimits): Failure | undefined {
  const { daemon, children, image: verdict, now } = observed
  const image = effectiveImage(daemon.spec, status)
  if (image === status.lastGoodImage || isRefusedImage(daemon.spec, status)) return undefined
  if (verdict.state === 'refused') return verdict

  const { machine } = children
  if (machine === undefined || machine.image !== image || machine.state === 'lost') return undefined
  if (machine.problem?.fatal) return machine.problem

  // Without a version to go back to, time alone condemns nothing: the next try is all there is.
  const late = now.getTime() - machine.startedAt.getTime() > limits.startDeadlineMs
  if (!late || status.lastGoodImage === undefined) return undefined
  if (machine.state !== 'ready') return { reason: 'MachineNotReady', message: machine.problem?.message ?? '' }
  return tunnelOf(observed).connected ? undefined : { reason: 'RelayNotConnected', message: '' }
}

function withFailedImage(spec: ManagedDaemonSpec, status: ManagedDaemonStatus, { reason }: Failure) {
  const failed: ManagedDaemonStatus = {
    ...status,
    failedRoll: { image: spec.image, operationId: spec.operation?.id, reason },
  }
  if (status.operation && status.operation.id === spec.operation?.id && status.operation.outcome === 'executing')
    failed.operation = { id: status.operation.id, outcome: 'failed', reason }
  return failed
}
