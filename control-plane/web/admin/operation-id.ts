import type { ApiFailure } from '../api-failure.ts'

/** A new id for an audited operation. Randomness that insecure origins have too. */
export function newOperationId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return `web-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

const terminal = new Set(['operation_failed', 'operation_conflict'])

/** The id of the next try: the same one, so that nothing is done twice, unless the failure asks for another. */
export function idAfter(failure: ApiFailure, used: string, fresh: () => string): string {
  return terminal.has(failure.code) ? fresh() : used
}

/** Seconds to wait before asking for the outcome of an operation that is still running; undefined: do not ask. */
export function askAgainAfter(failure: ApiFailure): number | undefined {
  if (failure.code !== 'operation_in_progress') return undefined
  return Math.min(30, Math.max(1, failure.retryAfterSeconds ?? 2))
}
