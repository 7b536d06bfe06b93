import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { BackupState } from '@svc/shared/wire/backups.api.ts'
import { AdminStatus } from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { Inventory, InventoryQuery, Overview } from '@svc/shared/wire/admin/inventory.api.ts'
import type { Guards } from '../http/guards.ts'
import { decodeCursor, encodeCursor } from '../http/page-cursor.ts'
import type { LifecycleEventsRepository } from '../operations/lifecycle-events.repository.ts'
import type { Operations } from '../operations/operations.domain.ts'
import type { InventoryPosition, InventoryRepository } from './inventory.repository.ts'
import type { OverviewRepository } from './overview.repository.ts'

type Deps = {
  guards: Guards
  inventory: InventoryRepository
  overview: OverviewRepository
  events: Pick<LifecycleEventsRepository, 'listLatest'>
  listRecentOperations: Operations['listRecent']
  clock: Pick<Clock, 'now'>
  operatorOrg: string | undefined
  listBackupStates: ((orgIds: string[]) => Promise<Map<string, BackupState>>) | undefined
}

const RECENT_OPERATIONS = 8

/** Whether the caller is a system admin, the inventory of hosted organizations and their daemons, and its overview. */
export function inventoryRoutes(deps: Deps): FastifyPluginAsyncZod {
  const { guards, inventory, overview, events, listRecentOperations, clock, operatorOrg, listBackupStates } = deps
  return async (app) => {
    app.get(
      '/api/admin/status',
      { onRequest: guards.systemAdmin, schema: { response: { 200: AdminStatus } } },
      async () => {
        if (operatorOrg === undefined) throw fail('forbidden')
        const workspaceDomains = await inventory.listWorkspaceDomains()
        return { ok: true as const, systemAdmin: true as const, operatorOrg, workspaceDomains }
      },
    )

    app.get(
      '/api/admin/managed-daemons',
      { onRequest: guards.systemAdmin, schema: { querystring: InventoryQuery, response: { 200: Inventory } } },
      async ({ query }) => {
        const after = decodeCursor(query.cursor, ['text', 'text']) as InventoryPosition | undefined
        const { items, total, more } = await inventory.list(query, after)
        const ids = items.map(({ orgId }) => orgId)
        const [latest, backups] = await Promise.all([events.listLatest(ids), listBackupStates?.(ids)])
        const last = items.at(-1)
        return {
          ok: true as const,
          daemons: items.map((item) => ({
            ...item,
            lastEvent: latest.get(item.orgId) ?? null,
            backup: backups?.get(item.orgId) ?? null,
          })),
          total,
          ...(more && last ? { nextCursor: encodeCursor(last.orgSlug, last.orgId) } : {}),
        }
      },
    )

    app.get(
      '/api/admin/overview',
      { onRequest: guards.systemAdmin, schema: { response: { 200: Overview } } },
      async () => {
        const [counts, attention, storage, operations] = await Promise.all([
          overview.countByStanding(),
          overview.listAttention(),
          overview.readStorage(),
          listRecentOperations(RECENT_OPERATIONS),
        ])
        const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
        const day = await overview.readDay(counts.running)
        return { ok: true as const, at: clock.now().toISOString(), total, counts, attention, storage, day, operations }
      },
    )
  }
}
