import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { ActivityResult } from '@svc/shared/wire/daemon/daemon-activity.ts'
import { FlushResult, StorageUsage, VaultParams } from '@svc/shared/wire/daemon/daemon.api.ts'
import type { Activity } from '../http/activity.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import { flushAsOf } from './flush-as-of.ts'
import { homeUsage, vaultUsage } from './storage-usage.ts'

type Deps = { registry: VaultRegistry; layout: HomeLayout; activity: Activity; clock: Clock }

/** Flush and storage, of one vault and of all, and the activity of the daemon. */
export function opsRoutes({ registry, layout, activity, clock }: Deps): FastifyPluginAsyncZod {
  const result = async (flush: () => Promise<number>) => ({ ok: true as const, ...(await flushAsOf(clock, flush)) })

  return async (app) => {
    app.post(
      '/api/vaults/:vaultId/ops/flush',
      {
        config: { relayed: ['vault-member', 'service:flush'] },
        schema: { params: VaultParams, response: { 200: FlushResult } },
      },
      async ({ params }) => result(() => registry.find(params.vaultId).flush()),
    )

    app.post(
      '/api/ops/flush',
      { config: { relayed: ['service:flush'] }, schema: { response: { 200: FlushResult } } },
      async () => ({ ...(await result(() => registry.flush())), activity: activity.report() }),
    )

    app.get(
      '/api/ops/activity',
      { config: { relayed: ['service:flush'], quiet: true }, schema: { response: { 200: ActivityResult } } },
      async () => ({ ok: true as const, activity: activity.report() }),
    )

    app.get(
      '/api/vaults/:vaultId/ops/storage',
      {
        config: { relayed: ['vault-member', 'service:storage:read'] },
        schema: { params: VaultParams, response: { 200: StorageUsage } },
      },
      async ({ params }) => ({ ok: true as const, storage: await vaultUsage(registry.find(params.vaultId)) }),
    )

    app.get(
      '/api/ops/storage',
      { config: { relayed: ['service:storage:read'] }, schema: { response: { 200: StorageUsage } } },
      async () => ({ ok: true as const, storage: await homeUsage(registry.list(), layout) }),
    )
  }
}
