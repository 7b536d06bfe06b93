import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The metrics registry of one control plane, with those of its process. */
export function createMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

type StoredGauge = { name: string; help: string; read: () => Promise<number> }

/** A gauge that each scrape reads from the database. Without the database it is absent, and the other metrics remain. */
export function measureStored(registry: Registry, { name, help, read }: StoredGauge): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await read().catch(() => undefined)
      if (value === undefined) this.remove()
      else this.set(value)
    },
  })
}

/** Measures every request by route template, never by path. */
export function measureRequests(app: FastifyInstance, registry: Registry): void {
  const duration = new Histogram({
    name: 'svc_http_request_seconds',
    help: 'Time to answer a request of the API, by route template.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  })
  app.addHook('onResponse', async ({ method, routeOptions }, reply) => {
    const labels = { method, route: routeOptions.url ?? '(unknown)', status: String(reply.statusCode) }
    duration.observe(labels, reply.elapsedTime / 1_000)
  })
}

/** Shows how many tunnels this replica holds, and how many daemons have left because they stopped. */
export function measureTunnels(registry: Registry, tunnels: { count(): number; leftCount(): number }): void {
  new Gauge({
    name: 'svc_relay_tunnels',
    help: 'Tunnels of daemons that this replica holds.',
    registers: [registry],
    collect() {
      this.set(tunnels.count())
    },
  })
  new Counter({
    name: 'svc_relay_tunnels_left_total',
    help: 'Tunnels that daemons left because they stopped or fell asleep.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(tunnels.leftCount())
    },
  })
}
