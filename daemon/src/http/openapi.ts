import fastifySwagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'

/** Describes the API at `/api/openapi.json` from the schemas of its routes; must come before they are registered. */
export async function openapi(app: FastifyInstance, { version }: { version: string }): Promise<void> {
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'svcd', description: 'Vaults of Markdown notes on this machine.', version },
    },
    transform: jsonSchemaTransform,
  })
  app.get('/api/openapi.json', { config: { relayed: ['entered'] }, schema: { hide: true } }, async () => app.swagger())
}
