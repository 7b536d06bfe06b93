import { fail, type ServiceError } from '@svc/shared/wire/errors.ts'
import { canonicalJson } from './canonical-json.ts'
import type { Marker, OperationFailure, OperationRecord, OperationRequest } from './operation.ts'

/** What a request does with what is known of its operationId. */
export type Decision =
  | { kind: 'register' }
  | { kind: 'reopen'; failure: OperationFailure | undefined }
  | { kind: 'wait' }
  | { kind: 'reconcile'; marker: Marker }
  | { kind: 'return'; answer: string }
  | { kind: 'refuse'; failure: ServiceError }

type Known = { request: OperationRequest; record: OperationRecord | undefined; marker: Marker | undefined }

/** Table 3.3 of the service interface. Pure: the same request, record and marker give the same decision. */
export function decideOperation({ request, record, marker }: Known): Decision {
  if (record === undefined) return { kind: 'register' }

  const differing = differences(request, record)
  if (differing.length > 0) return { kind: 'refuse', failure: fail('operation_conflict', { differing }) }

  switch (record.state) {
    case 'succeeded':
      return { kind: 'return', answer: record.answer }
    case 'failed':
      return { kind: 'refuse', failure: failedFor(record.failure) }
    case 'retryable':
      return { kind: 'reopen', failure: record.failure }
    case 'executing':
      return marker === undefined ? { kind: 'wait' } : { kind: 'reconcile', marker }
    case 'requested':
      return { kind: 'wait' }
  }
}

/** The terminal failure, answered the same way for ever. */
export function failedFor({ code, reason }: OperationFailure): ServiceError {
  return fail('operation_failed', { cause: code, ...(reason === undefined ? {} : { reason }) })
}

// Names of the bound parts alone: their values may belong to somebody else.
function differences(request: OperationRequest, record: OperationRecord): string[] {
  const same = {
    actor: request.actor.kind === record.actor.kind && request.actor.id === record.actor.id,
    target: request.orgId === record.orgId,
    reason: request.reason === record.reason,
    action: request.action === record.action,
    parameters: canonicalJson(request.input) === record.inputText,
  }
  return Object.entries(same)
    .filter(([, equal]) => !equal)
    .map(([part]) => part)
}
