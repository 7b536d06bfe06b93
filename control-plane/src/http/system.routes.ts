import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { AppConfig, Health, Ready } from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Registry } from 'prom-client'
import { z } from 'zod'
import { documentedOnly } from './openapi.ts'

type Deps = {
  environment: string
  appConfig: z.input<typeof AppConfig>
  isReady(): Promise<boolean>
  metrics: Registry
  metricsPublic: boolean
}

const OpenApiDocument = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) })
const metricsText = { content: { 'text/plain': { schema: z.string().describe('Where METRICS_PUBLIC=1.') } } }

/** Health, readiness, metrics and what the web app may know before sign-in. */
export function systemRoutes({ environment, appConfig, isReady, metrics, metricsPublic }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get('/api/health', { schema: { response: { 200: Health } } }, async () => ({
      ok: true as const,
      service: 'svc-control-plane' as const,
      environment,
    }))

    app.get('/ready', { schema: { response: { 200: Ready, 503: Ready } } }, async (_request, reply) => {
      const ok = await isReady()
      return reply.code(ok ? 200 : 503).send({ ok })
    })

    app.get('/api/app-config', { schema: { response: { 200: AppConfig } } }, async () => appConfig)

    app.get('/api/openapi.json', documentedOnly({ response: { 200: OpenApiDocument } }), async () => app.swagger())

    app.get('/metrics', documentedOnly({ response: { 200: metricsText } }), async (_request, reply) => {
      if (!metricsPublic) throw fail('not_found')
      return reply.type(metrics.contentType).send(await metrics.metrics())
    })
  }
}
