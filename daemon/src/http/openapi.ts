import { loadOnce } from '@svc/shared/kit/load-once.ts'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'

/** Describes the API at `/api/openapi.json` from the schemas of its routes; must come before they are registered. */
export function openapi(app: FastifyInstance, { version }: { version: string }): void {
  const routes: RouteOptions[] = []
  const described = loadOnce(() => describe(routes, version))
  app.addHook('onRoute', (route) => void routes.push(route))
  app.get('/api/openapi.json', { config: { relayed: ['entered'] }, schema: { hide: true } }, async () => described())
}

/**
 * Generates the description on the first request, on an instance that serves nobody: the library takes 8 ms to load and
 * must see each route as it is registered.
 */
async function describe(routes: readonly RouteOptions[], version: string): Promise<object> {
  const [{ default: Fastify }, { default: swagger }] = await Promise.all([
    import('fastify'),
    import('@fastify/swagger'),
  ])
  const paper = Fastify({ exposeHeadRoutes: false })
  paper.setValidatorCompiler(validatorCompiler)
  paper.setSerializerCompiler(serializerCompiler)
  await paper.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'svcd', description: 'Vaults of Markdown notes on this machine.', version },
    },
    transform: jsonSchemaTransform,
  })
  for (const { method, url, schema } of routes) paper.route({ method, url, schema: schema ?? {}, handler: nobody })
  await paper.ready()
  return paper.swagger()
}

async function nobody(): Promise<void> {}
