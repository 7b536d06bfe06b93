import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { Inventory, InventoryQuery } from '@svc/shared/wire/admin.api.ts'
import { AdminStatus } from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { Guards } from '../http/guards.ts'
import type { LifecycleEventsRepository } from '../operations/lifecycle-events.repository.ts'
import { decodeCursor, encodeCursor } from '../http/page-cursor.ts'
import type { InventoryRepository } from './inventory.repository.ts'
import { filterInventory, joinInventory, pageOf, positionOf, withEvents } from './list-inventory.ts'

type Deps = {
  guards: Guards
  inventory: InventoryRepository
  events: Pick<LifecycleEventsRepository, 'listLatest'>
  store: Pick<ManagedDaemonStore, 'list'>
  operatorOrg: string | undefined
}

/** Whether the caller is a system admin, and the inventory of hosted organizations and their daemons. */
export function inventoryRoutes({ guards, inventory, events, store, operatorOrg }: Deps): FastifyPluginAsyncZod {
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
        const after = decodeCursor(query.cursor, 2) as [string, string] | undefined
        const [rows, daemons] = await Promise.all([inventory.list(), store.list()])
        const items = filterInventory(joinInventory(rows, daemons), query)
        const { page, more } = pageOf(items, query.limit, after)
        const last = page.at(-1)
        return {
          ok: true as const,
          daemons: withEvents(page, await events.listLatest(page.map(({ orgId }) => orgId))),
          total: items.length,
          ...(more && last ? { nextCursor: encodeCursor(...positionOf(last)) } : {}),
        }
      },
    )
  }
}
