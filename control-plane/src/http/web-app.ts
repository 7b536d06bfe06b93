import fastifyStatic from '@fastify/static'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '@svc/shared/wire/errors.ts'
import type { KnownRoutes } from './known-routes.ts'

type Deps = { webRoot: string; knownRoutes: KnownRoutes }

const HASHED = 'public, max-age=31536000, immutable'

/**
 * Serves the built web app; all paths of the app return the one page. Any other unknown path is a failure of the
 * catalogue: method_not_allowed when only the method is wrong.
 */
export async function serveWebApp(app: FastifyInstance, { webRoot, knownRoutes }: Deps): Promise<void> {
  const built = existsSync(join(webRoot, 'index.html'))
  if (built)
    await app.register(fastifyStatic, {
      root: webRoot,
      wildcard: false,
      preCompressed: true,
      index: false,
      schemaHide: true,
      cacheControl: false,
      setHeaders: (reply, path) => {
        reply.header('cache-control', path.includes('/assets/') ? HASHED : 'no-cache')
      },
    })

  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?', 1)[0] ?? '/'
    const allowed = knownRoutes.methodsOf(path)
    if (allowed.length > 0) {
      reply.header('allow', allowed.join(', '))
      throw fail('method_not_allowed')
    }
    if (!built || !isPage(request, path)) throw fail('not_found')
    // A program may open these pages in a window that it watches, and the same window visits all of them.
    if (/^\/(?:connect|consent|sign-in|sign-up)(?:\/|$)/.test(path))
      reply.header('cross-origin-opener-policy', 'unsafe-none')
    return reply.header('cache-control', 'no-cache').sendFile('index.html')
  })
}

/** A path of the web app: requested by a browser, and none of the API, of a daemon or of a file. */
function isPage({ method, headers }: FastifyRequest, path: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (
    /^\/(?:api|t|mcp|oauth2|\.well-known|outbox|download|metrics|ready)(?:\/|$)/.test(path) ||
    /\.[a-z0-9]+$/i.test(path)
  )
    return false
  return (headers.accept ?? '*/*').split(',').some((type) => /^\s*(?:text\/html|\*\/\*)/.test(type))
}
