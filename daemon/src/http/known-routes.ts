import type { FastifyInstance } from 'fastify'

/** The methods that a path supports, so that a wrong method gets another failure than a wrong path. */
export type KnownRoutes = { methodsOf(path: string): string[] }

/** Collects the routes of an app; must be called before they are registered. */
export function knownRoutes(app: FastifyInstance): KnownRoutes {
  const patterns: { pattern: RegExp; methods: string[] }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    const source = url
      .split('/')
      .map((segment) => (segment === '*' ? '.+' : segment.startsWith(':') ? '[^/]+' : escapeRegExp(segment)))
      .join('/')
    patterns.push({ pattern: new RegExp(`^${source}$`), methods: [method].flat() })
  })

  return {
    methodsOf: (path) => [
      ...new Set(patterns.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)),
    ],
  }
}

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
