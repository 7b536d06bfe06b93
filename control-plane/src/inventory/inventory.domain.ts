import type { BackupState } from '@svc/shared/wire/backups.api.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { Db } from '../db/database.ts'
import type { Guards } from '../http/guards.ts'
import type { LifecycleEventsRepository } from '../operations/lifecycle-events.repository.ts'
import type { Operations } from '../operations/operations.domain.ts'
import { directoryRepository } from './directory.repository.ts'
import { directoryRoutes } from './directory.routes.ts'
import { followInventory } from './follow-inventory.ts'
import { inventoryRepository } from './inventory.repository.ts'
import { inventoryRoutes } from './inventory.routes.ts'
import { overviewRepository } from './overview.repository.ts'
import { seenDaemonsRepository } from './seen-daemons.repository.ts'

type Deps = {
  db: Db
  clock: Clock
  log: Log
  store: ManagedDaemonStore | undefined
  events: LifecycleEventsRepository
  operations: Pick<Operations, 'listRecent'>
  operatorOrg: string | undefined
  /** Undefined where the platform has no storage for backups. */
  backups: { listStates(orgIds: string[]): Promise<Map<string, BackupState>> } | undefined
}

/** The system admins' view of all organizations, their hosted daemons and the people. */
export function createInventory({ db, clock, log, store, events, operations, operatorOrg, backups }: Deps) {
  return {
    /** Keeps the list current. Returns the function that stops it. */
    follow: (): (() => Promise<void>) =>
      store === undefined ? async () => {} : followInventory({ store, seen: seenDaemonsRepository(db), clock, log }),

    routes: (guards: Guards) => [
      inventoryRoutes({
        guards,
        inventory: inventoryRepository(db, clock),
        overview: overviewRepository(db, clock),
        events,
        listRecentOperations: operations.listRecent,
        clock,
        operatorOrg,
        listBackupStates: backups?.listStates,
      }),
      directoryRoutes({ guards, directory: directoryRepository(db) }),
    ],
  }
}
