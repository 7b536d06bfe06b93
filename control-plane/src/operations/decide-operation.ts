import { errorCatalogue, fail, type ErrorCode, type ServiceError } from '@svc/shared/wire/errors.ts'
import { canonicalJson } from '../audit/canonical-json.ts'
import type { Marker, OperationFailure, OperationRecord, OperationRequest } from './operation.ts'

/** What a request does, given the record of its operationId. */
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

/** The terminal failure, the same in every response. What the cluster said is left out: members may see a response. */
function failedFor({ code, reason }: OperationFailure): ServiceError {
  const details = { cause: code, ...(reason === undefined ? {} : { reason }) }
  return fail('operation_failed', details, { message: sentence(code, 'operation_failed') })
}

/** The failure of an attempt after which the same operation may be retried. */
export function retryableFor(failure: OperationFailure | undefined): ServiceError {
  if (failure === undefined) return fail('operation_retryable')
  const { message: _said, ...details } = failure
  return fail('operation_retryable', details, { message: sentence(failure.code, 'operation_retryable') })
}

// First the cause and what to do about it, then the state of the operation.
function sentence(code: string, outcome: ErrorCode): string {
  const isKnown = Object.hasOwn(errorCatalogue, code) && !code.startsWith('operation_') && code !== 'internal'
  const cause = isKnown ? `${errorCatalogue[code as ErrorCode].message} ` : ''
  return cause + errorCatalogue[outcome].message
}

// Only the names of the bound parts: their values may belong to somebody else.
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
