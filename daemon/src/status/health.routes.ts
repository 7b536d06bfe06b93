import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { DaemonHealth, Readiness, RelayStatus, Whoami } from '@svc/shared/wire/daemon.api.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import { healthOf } from './early-answers.ts'
import type { RelayState } from './relay-state.ts'

type Deps = { layout: HomeLayout; isReady: () => boolean; relayStatus: () => RelayState }

/** Health, readiness, the state of the relay, and who is asking. */
export function healthRoutes({ layout, isReady, relayStatus }: Deps): FastifyPluginAsyncZod {
  const health = healthOf(layout)

  return async (app) => {
    app.get('/api/health', { config: { quiet: true }, schema: { response: { 200: DaemonHealth } } }, async () => health)

    app.get(
      '/api/ready',
      { config: { relayed: ['entered'], quiet: true }, schema: { response: { 200: Readiness, 503: Readiness } } },
      async (_request, reply) => {
        const ok = isReady()
        return reply.code(ok ? 200 : 503).send({ ok })
      },
    )

    app.get('/api/relay/status', { config: { quiet: true }, schema: { response: { 200: RelayStatus } } }, async () => ({
      ok: true as const,
      relay: relayStatus(),
    }))

    app.get(
      '/api/whoami',
      { config: { relayed: ['entered'], quiet: true }, schema: { response: { 200: Whoami } } },
      async ({ caller }) => {
        if (caller.kind !== 'person') return { ok: true as const, mode: 'local' as const }
        const { sub, name, role, vaults } = caller.claims
        return { ok: true as const, mode: 'relayed' as const, person: { id: sub, name, role }, vaults }
      },
    )
  }
}
