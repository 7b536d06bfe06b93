import type { FastifyInstance } from 'fastify'

/** Knows which methods a path supports, so that a wrong method gets another failure than a wrong path. */
export type KnownRoutes = { methodsOf(path: string): string[] }

/** Collects every route that is added from now on. */
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
