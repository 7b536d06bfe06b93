import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { VaultRegistry } from '../vaults/vault-registry.ts'

/** One request with its response. */
export type Observation = { method: string; route: string; status: number; seconds: number }

/** Counts requests in its own registry. */
export type MetricRegistry = { contentType: string; observe(observation: Observation): void; text(): Promise<string> }

/**
 * A registry with the metrics of the daemon. Labels contain route templates and vault ids, never a path or a search.
 */
export function createMetricRegistry({ registry }: { registry: VaultRegistry }): MetricRegistry {
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

  return {
    contentType: register.contentType,
    observe: ({ method, route, status, seconds }) => requests.observe({ method, route, status }, seconds),
    text: () => register.metrics(),
  }
}
