import fastifyStatic from '@fastify/static'
import Fastify from 'fastify'
import type { Log } from '@svc/shared/kit/log.ts'
import { vaultPagePolicy } from '@svc/shared/wire/vault-page-policy.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { createErrorHandler, sendFailure } from './error-handler.ts'
import type { Handle } from './front-door.ts'

type Options = { folder: string; prefix: string; log: Log }

/** Serves the files of a folder, whose names have a hash of their content, to requests that were admitted before. */
export async function staticFiles({ folder, prefix, log }: Options): Promise<Handle> {
  const app = Fastify()
  app.setErrorHandler(createErrorHandler(log))
  // The request has its id already, and its response names it.
  app.addHook('onRequest', async (request, reply) => {
    request.id = String(reply.raw.getHeader('x-request-id'))
  })
  app.setNotFoundHandler((request, reply) => sendFailure({ failure: fail('not_found'), request, reply }))
  await app.register(fastifyStatic, {
    root: folder,
    prefix,
    preCompressed: true,
    index: false,
    decorateReply: false,
    cacheControl: false,
    setHeaders(reply) {
      reply.header('content-security-policy', vaultPagePolicy)
      reply.header('cache-control', 'public, max-age=31536000, immutable')
    },
  })
  await app.ready()
  return (request, response) => app.routing(request, response)
}
