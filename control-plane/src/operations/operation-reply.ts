import type { FastifyReply } from 'fastify'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'

/** Sends a recorded success byte for byte as it was first sent, without serializing it again. */
export function sendRecorded(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text)
}

/**
 * A failure that also names the operation, for callers whose id was derived here. Other errors are returned as they
 * are.
 */
export function withOperationId(error: unknown, operationId: string): unknown {
  if (!isFailure(error)) return error
  const { code, details, message, retryAfterSeconds } = error
  if (Array.isArray(details)) return error
  return fail(code, { ...(details as object | undefined), operationId }, { message, retryAfterSeconds, cause: error })
}
