import type { Actor, OperationAction } from '@svc/shared/wire/admin/admin.api.ts'
import type { Json } from '../audit/canonical-json.ts'

/** Parameters of an operation besides its target; the operationId is bound to them, too. */
export type OperationInput = { readonly [key: string]: Json }

/** A requested operation. All fields are bound to the operationId. */
export type OperationRequest = {
  operationId: string
  action: OperationAction
  orgId: string
  actor: Actor
  reason: string
  input: OperationInput
}

/**
 * Why an operation failed: a code of the error catalogue and a CamelCase reason. `message` is what the cluster said of
 * the cause, in at most 512 characters. It may name parts of the cluster, so only system admins see it.
 */
export type OperationFailure = { code: string; reason?: string; message?: string }

/** A recorded operation. `inputText` is the canonical JSON of its parameters. */
export type OperationRecord = Omit<OperationRequest, 'input'> & {
  inputText: string
  attempts: number
  /** Epoch of the newest claim, with which the next executor compares. */
  epoch: number | undefined
  requestedAt: Date
  finishedAt: Date | undefined
} & (
    | { state: 'requested' }
    | { state: 'executing' }
    | { state: 'retryable'; failure: OperationFailure | undefined }
    | { state: 'succeeded'; answer: string }
    | { state: 'failed'; failure: OperationFailure }
  )

/** What the runtime proves about an operation: it took effect, or it failed terminally. */
export type Marker = { outcome: 'succeeded'; answer: object } | { outcome: 'failed'; failure: OperationFailure }

/** One execution of an operation. `epoch` fences everything that it changes. */
export type Execution = {
  operation: OperationRecord
  input: OperationInput
  owner: string
  epoch: number
  /** Epoch of the execution before this one, if any: it may have left effects. */
  previousEpoch: number | undefined
  /** Aborts when this process stops. */
  signal: AbortSignal
}

/**
 * How an action is carried out. `execute` may find its own earlier effects after a crash or retry, and then continues;
 * its result is recorded. A thrown failure that no retry can fix ends the operation, any other makes it retryable.
 */
export type Effect = {
  execute(execution: Execution): Promise<object>
  /** What the runtime proves about an operation whose executor may be gone; undefined when nothing. */
  findMarker(operation: OperationRecord): Promise<Marker | undefined>
  /** Writes the lifecycle events of an outcome before it is recorded. Repeated calls write them once. */
  conclude?(conclusion: { operation: OperationRecord; epoch: number; marker: Marker }): Promise<void>
}

/** The effects of all actions that this process can execute. */
export type Effects = Partial<Record<OperationAction, Effect>>

/** The claim is lost: another execution owns the organization, so nothing more may be changed. */
export class FencedOff extends Error {
  constructor(operationId: string, epoch: number) {
    super(`operation ${operationId} does not hold epoch ${epoch} any more`)
    this.name = 'FencedOff'
  }
}
