import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { DaemonHealth, Readiness, RelayStatus } from '@svc/shared/wire/daemon/daemon.api.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import { healthOf } from './early-answers.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import type { RelayState } from './relay-state.ts'

type Deps = {
  layout: HomeLayout
  registry: Pick<VaultRegistry, 'isReady' | 'refused'>
  relayStatus: () => RelayState
}

/** Health, readiness and the state of the relay. */
export function healthRoutes({ layout, registry, relayStatus }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get('/api/health', { config: { quiet: true }, schema: { response: { 200: DaemonHealth } } }, async () =>
      healthOf(layout, registry.refused()),
    )

    app.get(
      '/api/ready',
      { config: { relayed: ['entered'], quiet: true }, schema: { response: { 200: Readiness, 503: Readiness } } },
      async (_request, reply) => {
        const ok = registry.isReady()
        return reply.code(ok ? 200 : 503).send({ ok })
      },
    )

    app.get('/api/relay/status', { config: { quiet: true }, schema: { response: { 200: RelayStatus } } }, async () => ({
      ok: true as const,
      relay: relayStatus(),
    }))
  }
}
