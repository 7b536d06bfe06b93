import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { slowestPace, watchBody, type BodyPace } from '@svc/shared/http/body-pace.ts'
import { forgetTypeOfNoBody } from '@svc/shared/http/empty-body.ts'
import { closeStreamOfHead } from '@svc/shared/http/head-stream.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { VerifyAssertion } from '../entry/caller.ts'
import { createAdmission } from './admission.ts'
import { createErrorHandler, sendFailure } from './error-handler.ts'
import type { Handle } from './front-door.ts'
import { knownRoutes } from './known-routes.ts'
import { negotiate } from './negotiation.ts'
import { securityHeaders } from './security-headers.ts'
import type { ServeUi } from './static-ui.ts'

/** JSON is parsed on the event loop, so it must be short; longer texts travel as text/markdown. */
export const MAX_JSON_LENGTH = 1024 * 1024

const zodCompilers = { buildValidator: () => validatorCompiler, buildSerializer: () => serializerCompiler }

type Options = {
  server: Server
  log: Log
  allowedHosts: readonly string[]
  verifyAssertion: VerifyAssertion
  maxBodyBytes: number
  /** The slowest allowed pace of a request body. */
  bodyPace?: BodyPace
}

/**
 * The framework of a server before any route: admission, typed failures, headers of every response. Pass requests to
 * `handle`; call `useUi` when the UI is known.
 */
export function createHttpServer({
  server,
  log,
  allowedHosts,
  verifyAssertion,
  maxBodyBytes,
  bodyPace = slowestPace,
}: Options) {
  const onError = createErrorHandler(log)
  let handle: Handle | undefined
  const app: FastifyInstance = Fastify({
    bodyLimit: maxBodyBytes,
    serverFactory(handler) {
      handle = handler
      return server
    },
    // Set here, because the framework would otherwise load and set up two of its own.
    schemaController: { compilersFactory: zodCompilers as never },
    requestIdHeader: false,
    genReqId: () => randomBytes(8).toString('hex'),
    routerOptions: { maxParamLength: 8192 },
    frameworkErrors: (error, request, reply) => void onError(error, request, reply),
    // The front door answers what is not HTTP.
    clientErrorHandler: () => {},
  }).withTypeProvider<ZodTypeProvider>()
  const routes = knownRoutes(app)
  let serveUi: ServeUi = () => false

  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  // Admission replaces this with the real caller before anything else runs.
  app.decorateRequest('caller')
  app.setErrorHandler(onError)

  app.addHook('onRequest', async (request, reply) => {
    for (const [name, value] of Object.entries(securityHeaders)) reply.raw.setHeader(name, value)
    reply.raw.setHeader('x-request-id', request.id)
  })
  app.addHook('onRequest', async (request, reply) =>
    watchBody(request.raw, bodyPace, () => {
      if (reply.sent) return void request.raw.destroy()
      void reply.header('connection', 'close')
      sendFailure({ failure: fail('request_timeout'), request, reply })
    }),
  )
  app.addHook('onRequest', async ({ raw }) => forgetTypeOfNoBody(raw))
  app.addHook('onRequest', createAdmission({ allowedHosts, verifyAssertion }))
  app.addHook('onRequest', async ({ headers, is404, routeOptions }) => {
    const offers = routeOptions.config.produces ?? ['application/json']
    if (!is404 && offers.length > 0 && negotiate(headers.accept, offers) === undefined) throw fail('not_acceptable')
  })
  app.addHook('onSend', closeStreamOfHead)
  app.addHook('onResponse', async (request, reply) => {
    // The template, never the URL: paths inside a vault and searches are content.
    const { vaultId } = (request.params ?? {}) as { vaultId?: string }
    const route = request.routeOptions?.url ?? 'unknown'
    log.debug(
      {
        requestId: request.id,
        method: request.method,
        route,
        vault: vaultId,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    )
  })

  // Forms of other sites may send text without a preflight, but not JSON.
  app.removeContentTypeParser(['text/plain', 'application/json'])
  app.addContentTypeParser('application/json', { parseAs: 'string' }, async (_request: unknown, text: string) =>
    parseJson(text),
  )

  app.setNotFoundHandler((request, reply) => {
    const methods = routes.methodsOf(request.url.split('?')[0]!)
    if (methods.length > 0 && !methods.includes(request.method)) {
      reply.header('allow', methods.join(', '))
      return sendFailure({ failure: fail('method_not_allowed', { allowed: methods }), request, reply })
    }
    if (!serveUi(request, reply)) return sendFailure({ failure: fail('not_found'), request, reply })
    return reply
  })

  return { app, handle: handle!, useUi: (serve: ServeUi) => (serveUi = serve) }
}

function parseJson(text: string): unknown {
  if (text.length > MAX_JSON_LENGTH)
    throw fail('payload_too_large', { maxLength: MAX_JSON_LENGTH, hint: 'Send the text of a note as text/markdown.' })
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw fail('invalid_request', [{ path: 'body', message: 'is not valid JSON' }])
  }
}
