import {
  effectiveImage,
  isRefusedImage,
  type ManagedDaemonSpec,
  type ManagedDaemonStatus,
} from '@svc/shared/wire/managed-daemon.ts'
import type { Observed } from './observed.ts'
import { isLate, type PlanLimits } from './plan-limits.ts'
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
  // The image that serves while another is requested is the one to go back to, even if it has served only briefly.
  if (status.image !== undefined && status.image !== spec.image) next.lastGoodImage ??= status.image

  const failure = imageFailure(observed, next, limits)
  return failure ? withFailedImage(spec, next, failure) : next
}

/** The status of an operation that has nothing left to do; any other status unchanged. */
export function markSuccess(status: ManagedDaemonStatus, { spec, steps }: { spec: ManagedDaemonSpec; steps: Step[] }) {
  const { operation } = status
  if (operation?.outcome !== 'executing' || operation.id !== spec.operation?.id || steps.length > 0) return status
  // While asleep, an image that never ran has proved nothing yet.
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
  const { daemon, children, image: verdict } = observed
  const image = effectiveImage(daemon.spec, status)
  if (image === status.lastGoodImage || isRefusedImage(daemon.spec, status)) return undefined
  if (verdict.state === 'refused') return verdict

  const { machine } = children
  if (machine === undefined || machine.image !== image || machine.state === 'lost') return undefined
  if (machine.problem?.fatal) return machine.problem

  // Without an earlier image to go back to, a timeout is no failure: retrying is the only option.
  if (!isLate(observed, limits) || status.lastGoodImage === undefined) return undefined
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
