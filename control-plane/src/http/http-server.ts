import fastifySwagger from '@fastify/swagger'
import { randomUUID } from 'node:crypto'
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { slowestPace, watchBody, type BodyPace } from '@svc/shared/http/body-pace.ts'
import { forgetTypeOfNoBody } from '@svc/shared/http/empty-body.ts'
import { closeStreamOfHead } from '@svc/shared/http/head-stream.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Registry } from 'prom-client'
import { createClientAddress } from './client-address.ts'
import { createCsrfGuard } from './csrf-guard.ts'
import { errorHandler } from './error-handler.ts'
import { measureRequests } from './metrics.ts'
import { openApi } from './openapi.ts'
import { securityHeadersHook } from './security-headers.ts'

type Options = {
  baseUrl: string
  vaultOriginTemplate: string
  trustedProxies: string[]
  log: Log
  metrics: Registry
  /** The slowest allowed pace of a request body. */
  bodyPace?: BodyPace | undefined
}

const BODY_LIMIT = 64 * 1024
const MAX_PARAM_LENGTH = 300

/** The HTTP server of the API and the web app without routes: limits, guards, failures, headers, request log. */
export async function createHttpServer({ baseUrl, log, metrics, ...options }: Options): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: BODY_LIMIT,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: true },
    frameworkErrors: errorHandler,
    return503OnClosing: false,
  })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(errorHandler)
  // Fastify's own `ip` may be any text that a proxy passed on.
  const addressOf = createClientAddress(options.trustedProxies)
  app.decorateRequest('clientAddress', '')
  app.decorateRequest('session')
  app.decorateRequest('membership')
  app.decorateRequest('actor')

  // Reject text/plain as JSON: a page elsewhere can send it without a preflight.
  app.removeContentTypeParser('text/plain')
  app.addHook('onRequest', async (request) => {
    request.clientAddress = addressOf(request.raw)
  })
  app.addHook('onRequest', async ({ raw }) => forgetTypeOfNoBody(raw))
  app.addHook('onRequest', createCsrfGuard(baseUrl))
  app.addHook('onRequest', async ({ raw }, reply) =>
    watchBody(raw, options.bodyPace ?? slowestPace, () => {
      if (reply.sent) raw.destroy()
      else void reply.header('connection', 'close').send(fail('request_timeout'))
    }),
  )
  app.addHook('onSend', securityHeadersHook({ baseUrl, vaultOriginTemplate: options.vaultOriginTemplate }))
  app.addHook('onSend', closeStreamOfHead)
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, membership } = request
    const route = routeOptions.url ?? '(unknown)'
    const milliseconds = Math.round(reply.elapsedTime)
    const line = { method, route, status: reply.statusCode, milliseconds, requestId: request.id }
    log.info(membership === undefined ? line : { ...line, orgId: membership.organization.id }, 'request')
  })
  measureRequests(app, metrics)

  await app.register(fastifySwagger, openApi(baseUrl))
  return app
}
