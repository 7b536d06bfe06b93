import type { FastifyError } from 'fastify'
import type { Log } from '@svc/shared/kit/log.ts'
import { toServiceError } from '@svc/shared/wire/error-body.ts'
import { toFieldProblems } from '@svc/shared/wire/field-problems.ts'
import { fail, isFailure, type ErrorCode, type ServiceError } from '@svc/shared/wire/errors.ts'
import { StoreNotReady, StoreUnavailable } from '@svc/shared/wire/managed-daemon-store.ts'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { ZodError } from 'zod'
import { isOfDatabase } from '../db/database-errors.ts'
import { databaseFailure } from '../db/database-failure.ts'

// Failures of the framework, before a route runs or after it.
const frameworkCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_request',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_request',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_BAD_URL: 'invalid_request',
  // No id is that long, so there is nothing of that name.
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  // An event stream ended before its head was sent: the client left, or its session ended.
  ERR_STREAM_PREMATURE_CLOSE: 'stream_reset',
}

// Raised by our triggers, for rules that only the database can enforce under concurrency.
const databaseCodes: Record<string, ErrorCode> = { SVC01: 'last_admin' }

// Raised by our triggers when two windows of a person change the second factor at once.
const FACTOR_CHANGED = 'SVC03'

/** Restarts of the Kubernetes API and of its load balancer mostly take some seconds. */
const STORE_AGAIN_S = 5

const prefixes: Record<string, string> = { params: 'params.', querystring: 'query.', headers: 'headers.' }

/** Converts any thrown value to a failure of the catalogue. */
export function toFailure(error: unknown): ServiceError {
  if (isFailure(error)) return error
  if (hasZodFastifySchemaValidationErrors(error)) {
    const prefix = prefixes[error.validationContext ?? ''] ?? ''
    const problems = error.validation.map(({ instancePath, message = 'is not valid' }) => ({
      path: prefix + instancePath.replace(/^\//, '').replaceAll('/', '.'),
      message,
    }))
    return fail('invalid_request', problems)
  }
  if (error instanceof ZodError) return fail('invalid_request', toFieldProblems(error))

  const code = (error as Partial<FastifyError> | null)?.code ?? ''
  const known = frameworkCodes[code] ?? databaseCodes[code]
  if (known === 'invalid_request')
    return fail(known, [
      { path: 'body', message: code === 'FST_ERR_BAD_URL' ? 'address is not valid' : 'must be JSON' },
    ])
  if (known !== undefined) return fail(known)
  if (code === FACTOR_CHANGED)
    return fail('invalid_request', [{ path: '', message: 'Two-factor sign-in was changed in another window; reload the page' }]) // prettier-ignore
  if (/^HPE_|^ERR_HTTP/.test(code)) return fail('invalid_request', [{ path: '', message: 'is not HTTP' }])
  if (error instanceof StoreUnavailable || error instanceof StoreNotReady)
    return fail('store_unavailable', undefined, { cause: error, retryAfterSeconds: STORE_AGAIN_S })
  return databaseFailure(error) ?? toServiceError(error)
}

/** Logs what the caller is not told: a bug with all details, why the database refused a request with its reason. */
export function reportFailure(log: Pick<Log, 'error' | 'warn'>, failure: ServiceError, requestId: string): void {
  const { code, cause, message } = failure
  if (code === 'internal') log.error({ err: cause, requestId }, 'a request failed unexpectedly')
  // Not a store that is away: what reaches it says so once.
  else if (code === 'database_unavailable' || cause instanceof StoreNotReady || isOfDatabase(cause))
    log.warn({ reason: cause instanceof Error ? cause.message : undefined, requestId }, message)
}
