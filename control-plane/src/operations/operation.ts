import type { Actor, OperationAction } from '@svc/shared/wire/admin.api.ts'
import type { Json } from '../audit/canonical-json.ts'

/** Parameters of an operation beyond its target; they are part of what an operationId is bound to. */
export type OperationInput = { readonly [key: string]: Json }

/** What a caller asks for. All of it is bound to the operationId. */
export type OperationRequest = {
  operationId: string
  action: OperationAction
  orgId: string
  actor: Actor
  reason: string
  input: OperationInput
}

/** Why an operation failed: a code of the error catalogue and a CamelCase cause. */
export type OperationFailure = { code: string; reason?: string }

/** An operation as recorded. `inputText` is the canonical JSON of its parameters. */
export type OperationRecord = Omit<OperationRequest, 'input'> & {
  inputText: string
  attempts: number
  /** Epoch of the newest claim; what the next executor compares with. */
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

/** What the runtime itself proves of an operation: the effect is there, or it failed for good. */
export type Marker = { outcome: 'succeeded'; answer: object } | { outcome: 'failed'; failure: OperationFailure }

/** One execution of an operation. Everything that it changes is fenced by `epoch`. */
export type Execution = {
  operation: OperationRecord
  input: OperationInput
  owner: string
  epoch: number
  /** Epoch of the execution before this one, if there was any: it may have left effects. */
  previousEpoch: number | undefined
  /** Aborts when this process stops. */
  signal: AbortSignal
}

/**
 * How an action is carried out. `execute` may meet its own earlier effects (a crash, a retry) and then only goes on;
 * its answer is recorded. A thrown failure that no repetition mends ends the operation, any other makes it retryable.
 */
export type Effect = {
  execute(execution: Execution): Promise<object>
  /** What the runtime proves of an operation whose executor may be gone; undefined when nothing. */
  findMarker(operation: OperationRecord): Promise<Marker | undefined>
  /** Writes what belongs to an outcome (lifecycle events), once however often it is called, before it is recorded. */
  conclude?(conclusion: { operation: OperationRecord; epoch: number; marker: Marker }): Promise<void>
}

/** The effect of every action that this process can execute. */
export type Effects = Partial<Record<OperationAction, Effect>>

/** The claim is not ours any more: another execution owns the organization, and nothing may be changed. */
export class FencedOff extends Error {
  constructor(operationId: string, epoch: number) {
    super(`operation ${operationId} does not hold epoch ${epoch} any more`)
    this.name = 'FencedOff'
  }
}
