import type { Clock } from '@svc/shared/kit/clock.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { Db } from '../db/database.ts'
import type { Guards } from '../http/guards.ts'
import type { LifecycleEventsRepository } from '../operations/lifecycle-events.repository.ts'
import { inventoryRepository } from './inventory.repository.ts'
import { inventoryRoutes } from './inventory.routes.ts'

type Deps = {
  db: Db
  clock: Clock
  store: ManagedDaemonStore | undefined
  events: LifecycleEventsRepository
  operatorOrg: string | undefined
}

/** What system admins see of all hosted organizations and their daemons. */
export function createInventory({ db, clock, store, events, operatorOrg }: Deps) {
  const daemons = { list: async () => (await store?.list()) ?? [] }
  return {
    routes: (guards: Guards) => [
      inventoryRoutes({ guards, inventory: inventoryRepository(db, clock), events, store: daemons, operatorOrg }),
    ],
  }
}
