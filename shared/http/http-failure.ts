import type { ErrorBody } from '../wire/error-body.ts'
import type { ServiceError } from '../wire/errors.ts'

/** Seconds that a retryable response asks the caller to wait, unless the thrower says otherwise. */
const DEFAULT_RETRY_AFTER_SECONDS = 2

/** HTTP: status, headers and body of a failure. */
export function toHttp(error: ServiceError, requestId: string) {
  const headers: Record<string, string> = {}
  if (error.retry === 'same_request' || error.retry === 'same_operation')
    headers['retry-after'] = String(error.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS)

  const body: ErrorBody = {
    ok: false,
    error: {
      code: error.code,
      message: error.message,
      ...(error.details === undefined ? {} : { details: error.details }),
      requestId,
    },
  }
  return { status: error.status, headers, body }
}
