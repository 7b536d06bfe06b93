import type { FastifyInstance } from 'fastify'
import { loadOnce } from '@svc/shared/kit/load-once.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import type { MetricRegistry, Observation } from './metric-registry.ts'

// Requests before the first scrape are kept here: a daemon that is never scraped does not load the library.
const MAX_WAITING = 10_000

/** Counts requests and serves the metrics of the daemon at `/metrics`, for this machine only. */
export function countRequests(app: FastifyInstance, { registry }: { registry: VaultRegistry }): void {
  let waiting: Observation[] = []
  let loaded: MetricRegistry | undefined

  const load = loadOnce(async (): Promise<MetricRegistry> => {
    const { createMetricRegistry: metricRegistry } = await import('./metric-registry.ts')
    loaded = metricRegistry({ registry })
    for (const observation of waiting) loaded.observe(observation)
    waiting = []
    return loaded
  })

  app.addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) => {
    const observation = {
      method,
      route: routeOptions?.url ?? 'unknown',
      status: statusCode,
      seconds: elapsedTime / 1000,
    }
    if (loaded) loaded.observe(observation)
    else if (waiting.length < MAX_WAITING) waiting.push(observation)
  })
  app.get('/metrics', { config: { produces: [], quiet: true } }, async (_request, reply) => {
    const metrics = await load()
    return reply.type(metrics.contentType).send(await metrics.text())
  })
}
