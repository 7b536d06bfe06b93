import type { Registry } from 'prom-client'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { BackupState } from '@svc/shared/wire/backups.api.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { Db } from '../db/database.ts'
import type { Guards } from '../http/guards.ts'
import { entitlementsRepository } from './entitlements.repository.ts'
import { createFindHosted, createFindObserved } from './hosted-state.ts'
import { measureManagedDaemons } from './managed-daemon-metrics.ts'
import { idleTimeRepository } from './idle-time.repository.ts'
import { managedDaemonsRepository } from './managed-daemons.repository.ts'
import { managedDaemonsRoutes, type RecordAuditIn } from './managed-daemons.routes.ts'
import { createReadHostedStatus } from './read-hosted-status.ts'
import { createWakeIfAsleep } from './wake-if-asleep.ts'
import { createWakeDaemon, type Wake } from './wake-daemon.ts'

type Deps = {
  db: Db
  clock: Clock
  /** The store of ManagedDaemon resources; undefined: no hosted organizations. */
  store: ManagedDaemonStore | undefined
  recordEvent(orgId: string, kind: 'wake_requested'): Promise<void>
  /** Idle time of organizations without a setting of their own; 0: they never sleep by themselves. */
  idleSeconds: number
}

type RouteDeps = {
  guards: Guards
  isConnected(orgId: string): Promise<boolean>
  wake(orgId: string): Promise<unknown>
  recordAudit: RecordAuditIn
  /** The state of backups; undefined where there are none. */
  findBackupState: ((orgId: string) => Promise<BackupState>) | undefined
}

/** A woken daemon is checked again after this time; by then it reports how long it has been idle. */
const WOKEN_LOOK_MS = 60_000

type Grant = { orgId: string; operationId: string; epoch: number; image: string }

export type ManagedDaemons = ReturnType<typeof createManagedDaemons>

/** Hosted daemons as the control plane records them: entitlement, lease, state, and how to wake them. */
export function createManagedDaemons({ db, clock, store, recordEvent, idleSeconds }: Deps) {
  const records = managedDaemonsRepository(db, clock)
  const idleTime = idleTimeRepository(db, clock)
  const entitlements = entitlementsRepository(db, clock)
  const findHosted = createFindHosted({ store, daemons: records })
  const findHostedState = async (orgId: string) => (await findHosted(orgId)).state

  return {
    /** For the domain that provisions and tears down. */
    records,
    measure: (registry: Registry) => measureManagedDaemons(registry, records.countProblems),
    /** For the domain that puts idle daemons to sleep. */
    idleTime,
    grant: entitlements.insertComped,
    findEntitlement: entitlements.find,
    /** Entitlement and lease in the caller's transaction; false when the organization has one of them already. */
    installGrant: async (trx: Db, grant: Grant): Promise<boolean> =>
      (await entitlements.insertComped(trx, grant)) && records.insertLease(trx, { ...grant, action: 'comped_grant' }),
    /** Deletes the record of an organization's daemon. */
    deleteRecords: async (trx: Db, orgId: string): Promise<void> => {
      await records.delete(trx, orgId)
      await entitlements.delete(trx, orgId)
    },
    findState: createFindObserved({ store, daemons: records }),
    findHostedState,
    /** For the relay; `wake` is used for a daemon that sleeps. */
    wakeIfAsleepBy: (wake: Wake) => createWakeIfAsleep({ findHosted, wake }),
    /** Needs the database alone, not the store. */
    isHosted: async (orgId: string): Promise<boolean> => (await records.find(orgId)) !== undefined,
    wake: createWakeDaemon({
      store,
      recordWake: async (orgId) => {
        await idleTime.updateLookAt(orgId, WOKEN_LOOK_MS)
        await recordEvent(orgId, 'wake_requested')
      },
    }),
    routes: ({ guards, isConnected, wake, recordAudit, findBackupState }: RouteDeps) => [
      managedDaemonsRoutes({
        guards,
        readHostedStatus: createReadHostedStatus({
          store,
          daemons: records,
          isConnected,
          findBackupState,
          idleSeconds,
        }),
        db,
        updateIdleSeconds: idleTime.updateIdleSeconds,
        recordAudit,
        idleSeconds,
        wake,
      }),
    ],
  }
}
