import type { OperationsTable } from '../db/tables/operations.tables.ts'
import type { OperationFailure, OperationRecord } from './operation.ts'

/** Converts a row to the union of its states. */
export function toRecord(row: { [K in keyof OperationsTable]: unknown } | OperationsTable): OperationRecord {
  const stored = row as OperationsTable & { attempts: number }
  const record = {
    operationId: stored.operation_id,
    action: stored.action,
    orgId: stored.org_id,
    actor: { kind: stored.actor_kind, id: stored.actor_id },
    reason: stored.reason,
    inputText: stored.input,
    attempts: stored.attempts,
    epoch: stored.epoch ?? undefined,
    requestedAt: stored.requested_at,
    finishedAt: stored.finished_at ?? undefined,
  }
  const failure = toFailure(stored)
  switch (stored.state) {
    case 'succeeded':
      return { ...record, state: stored.state, answer: stored.answer ?? '' }
    case 'failed':
      return { ...record, state: stored.state, failure: failure ?? { code: 'internal' } }
    case 'retryable':
      return { ...record, state: stored.state, failure }
    default:
      return { ...record, state: stored.state }
  }
}

function toFailure(stored: OperationsTable): OperationFailure | undefined {
  const { failure_code: code, failure_reason: reason, failure_message: message } = stored
  if (code === null) return undefined
  return { code, ...(reason === null ? {} : { reason }), ...(message === null ? {} : { message }) }
}
