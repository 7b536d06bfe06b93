import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { VaultRegistry } from '../vaults/vault-registry.ts'

/** Counts what the daemon does, in a registry of its own, and answers it at `/metrics`. Labels hold no content. */
export function daemonMetrics(app: FastifyInstance, { registry }: { registry: VaultRegistry }): void {
  const register = new Registry()
  collectDefaultMetrics({ register })

  const requests = new Histogram({
    name: 'svcd_http_request_duration_seconds',
    help: 'Time to answer, by route template.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [register],
  })
  const files = new Gauge({
    name: 'svcd_vault_files',
    help: 'Files known, by vault.',
    labelNames: ['vault'],
    registers: [register],
    collect() {
      for (const vault of registry.list()) files.set({ vault: vault.id }, vault.manifest.count())
    },
  })

  app.addHook('onResponse', async ({ method, routeOptions }, reply) => {
    requests.observe(
      { method, route: routeOptions?.url ?? 'unknown', status: reply.statusCode },
      reply.elapsedTime / 1000,
    )
  })
  app.get('/metrics', { config: { produces: [] } }, async (_request, reply) =>
    reply.type(register.contentType).send(await register.metrics()),
  )
}
