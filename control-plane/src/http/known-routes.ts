import type { FastifyInstance } from 'fastify'

/** Tells which methods an address takes, so that a wrong method is told from a wrong address. */
export type KnownRoutes = { methodsOf(path: string): string[] }

/** Collects every route from now on. */
export function collectRoutes(app: FastifyInstance): KnownRoutes {
  const routes: { pattern: RegExp; methods: string[] }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    if (!url.startsWith('/api/')) return
    const parts = url
      .split('/')
      .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    routes.push({ pattern: new RegExp(`^${parts.join('/')}/?$`), methods: [method].flat() })
  })
  return {
    methodsOf: (path) => [
      ...new Set(routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)),
    ],
  }
}
