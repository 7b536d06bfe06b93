import type { ApiFailure } from '../api-failure.ts'

/** A new id for an audited operation. Uses randomness that is available on insecure origins too. */
export function newOperationId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return `web-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

const terminal = new Set(['operation_failed', 'operation_conflict'])

/** The id of the next attempt: the same one, so that nothing is done twice, unless the failure requires a new one. */
export function idAfter(failure: ApiFailure, used: string, fresh: () => string): string {
  return terminal.has(failure.code) ? fresh() : used
}

/** Seconds until the next request for the outcome of a running operation; undefined if there is none. */
export function askAgainAfter(failure: ApiFailure): number | undefined {
  if (failure.code !== 'operation_in_progress') return undefined
  return Math.min(30, Math.max(1, failure.retryAfterSeconds ?? 2))
}
