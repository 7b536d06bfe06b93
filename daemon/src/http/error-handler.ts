import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '@svc/shared/kit/log.ts'
import { toServiceError } from '@svc/shared/wire/error-body.ts'
import { fail, isFailure, type ErrorCode, type ServiceError } from '@svc/shared/wire/errors.ts'
import { toHttp } from '@svc/shared/http/http-failure.ts'
import { toFileFailure } from '../files/fs-failure.ts'

/** Sends any thrown thing as a failure of the catalogue. Bugs are logged whole and reveal nothing to the caller. */
export function createErrorHandler(log: Log) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const failure = classify(thrown)
    if (failure.code === 'internal')
      log.error({ err: thrown, requestId: request.id, route: request.routeOptions?.url }, 'a request failed by a bug')
    if (failure.code === 'storage_failed' || failure.code === 'storage_read_only')
      log.error({ err: failure.cause, requestId: request.id, route: request.routeOptions?.url }, 'the volume failed')
    return sendFailure({ failure, request, reply })
  }
}

/**
 * Sends one failure at once. The rest of the body is read and dropped: a connection that closes before the client's
 * last byte is reset, and the response is lost.
 */
export function sendFailure({
  failure,
  request,
  reply,
}: {
  failure: ServiceError
  request: FastifyRequest
  reply: FastifyReply
}) {
  const { status, headers, body } = toHttp(failure, request.id)
  const unread = hasBody(request) && !request.raw.complete
  const isLost = unread && request.raw.destroyed
  if (unread && !isLost) request.raw.resume()
  return reply
    .code(status)
    .headers(isLost ? { ...headers, connection: 'close' } : headers)
    .type('application/json; charset=utf-8')
    .serializer((payload: unknown) => JSON.stringify(payload))
    .send(body)
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

// A missing file that no handler expected is a bug; a failing volume is not.
const VOLUME_FAILURES = new Set<ErrorCode>([
  'storage_full',
  'storage_read_only',
  'storage_failed',
  'file_access_denied',
  'disk_away',
  'other_disk',
  'too_many_open_files',
])

function classify(thrown: unknown): ServiceError {
  if (isFailure(thrown)) return thrown
  const error = thrown as Partial<FastifyError>
  if (error.validation) {
    const prefix =
      error.validationContext === 'body' || error.validationContext === undefined ? '' : `${error.validationContext}.`
    return fail(
      'invalid_request',
      error.validation.map(({ instancePath, message }) => ({
        path: `${prefix}${(instancePath ?? '').replace(/^\//, '').replaceAll('/', '.')}`,
        message: message ?? 'is not valid',
      })),
    )
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return fail('payload_too_large')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return fail('unsupported_media_type')
    case 'FST_ERR_BAD_URL':
      return fail('invalid_request', [{ path: 'target', message: 'has a malformed encoding' }])
  }
  if (typeof error.statusCode === 'number' && error.statusCode === 400)
    return fail('invalid_request', [{ path: 'body', message: error.message ?? 'is not valid' }])
  if (error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error.code === 'ECONNRESET') return fail('stream_reset')
  const asFile = toFileFailure(thrown)
  return isFailure(asFile) && VOLUME_FAILURES.has(asFile.code) ? asFile : toServiceError(thrown)
}
