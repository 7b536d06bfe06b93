import { isFailure } from '@svc/shared/wire/errors.ts'
import { LONGEST_CAUSE } from '@svc/shared/wire/managed-daemon.ts'
import { StoreNotReady, StoreRejection, StoreUnavailable } from '@svc/shared/wire/managed-daemon-store.ts'
import type { OperationFailure } from './operation.ts'

/** How a thrown failure ends an execution: terminally, or until a retry with the same operationId. */
export type FailedOutcome =
  { state: 'failed'; failure: OperationFailure } | { state: 'retryable'; failure: OperationFailure }

const lasting = new Set(['never', 'new_operation', 'after_reread'])

/**
 * The outcome for a thrown value. Only a certain failure is terminal; anything uncertain, bugs included, may be
 * retried. Pure.
 */
export function outcomeOfFailure(thrown: unknown): FailedOutcome {
  if (thrown instanceof StoreRejection)
    return { state: 'failed', failure: { code: 'operation_failed', reason: 'ResourceRejected', ...saidIn(thrown) } }
  if (thrown instanceof StoreNotReady || thrown instanceof StoreUnavailable)
    return { state: 'retryable', failure: { code: 'operation_retryable', reason: thrown.name, ...saidIn(thrown) } }
  if (!isFailure(thrown)) return { state: 'retryable', failure: { code: 'internal' } }

  const failure = { code: thrown.code, ...reasonOf(thrown.details), ...saidIn(thrown.details) }
  return lasting.has(thrown.retry) && thrown.code !== 'internal'
    ? { state: 'failed', failure }
    : { state: 'retryable', failure }
}

function reasonOf(details: unknown): { reason?: string } {
  if (typeof details !== 'object' || details === null || !('reason' in details)) return {}
  return typeof details.reason === 'string' ? { reason: details.reason } : {}
}

/** What the cluster said, or nothing. Postgres stores no NUL, so control characters become blanks. */
function saidIn(source: unknown): { message?: string } {
  if (typeof source !== 'object' || source === null || !('message' in source)) return {}
  if (typeof source.message !== 'string') return {}
  const message = source.message
    .slice(0, LONGEST_CAUSE)
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
  return message === '' ? {} : { message }
}
