import type { FastifyReply, FastifyRequest } from 'fastify'
import { toHttp } from '@svc/shared/http/http-failure.ts'
import { reportFailure, toFailure } from './failures.ts'

/** Sends any thrown value as status and failure body. */
export function errorHandler(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error)
  reportFailure(request.log, failure, request.id)

  const { status, headers, body } = toHttp(failure, request.id)
  return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(body)
}
