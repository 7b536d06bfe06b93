import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Documented } from './openapi.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Programs of any origin may call this route. It ignores cookies: what it does depends on a token or on nothing.
     */
    crossOrigin?: true
  }
}

type Allowed = {
  methods: string
  headers: string
  exposed?: string
  /** The OpenAPI descriptions of the routes, by method and path. */
  documents: Record<string, Documented>
}
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
export type OpenRoute = (method: 'GET' | 'POST' | 'DELETE', url: string, handler: Handler) => void

const PREFLIGHT_SECONDS = '600'

/**
 * For routes that pages of any origin may call: they answer preflights and let those pages read the response. Responses
 * never carry `access-control-allow-credentials`. Returns the function that adds such a route.
 */
export function openToOrigins(
  app: FastifyInstance,
  { methods, headers, documents, exposed = 'WWW-Authenticate' }: Allowed,
): OpenRoute {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('access-control-allow-origin', '*')
    reply.header('access-control-expose-headers', exposed)
    reply.header('cross-origin-resource-policy', 'cross-origin')
  })
  const preflighted = new Set<string>()
  const options = { schema: { hide: true }, config: { crossOrigin: true as const } }

  return (method, url, handler) => {
    const documented = documents[`${method} ${url}`]
    const config = { ...options.config, ...(documented === undefined ? {} : { documented }) }
    app.route({ method, url, ...options, config, handler })
    if (preflighted.has(url)) return
    preflighted.add(url)
    app.options(url, options, async (_request, reply) =>
      reply
        .code(204)
        .header('access-control-allow-methods', methods)
        .header('access-control-allow-headers', headers)
        .header('access-control-max-age', PREFLIGHT_SECONDS)
        .send(),
    )
  }
}
