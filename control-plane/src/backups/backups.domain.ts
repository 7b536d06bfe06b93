import type { Registry } from 'prom-client'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { ServiceClaims } from '@svc/shared/wire/assertions.ts'
import type { Actor } from '@svc/shared/wire/admin/admin.api.ts'
import type { Activity } from '@svc/shared/wire/daemon/daemon-activity.ts'
import type { LastRestore } from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import { createAdmitHosted, type FindOrganization } from '../effects/hosted-organization.ts'
import type { Guards } from '../http/guards.ts'
import { createDaemonWaiter } from '../managed-daemons/daemon-waiter.ts'
import type { EffectTools } from '../operations/operation-engine.ts'
import type { Effects } from '../operations/operation.ts'
import type { RunOperation } from '../operations/run-operation.ts'
import { createBackupCatalog } from './backup-catalog.ts'
import { createBackupEffects } from './backup-effects.ts'
import { measureBackups } from './backup-metrics.ts'
import { backupStatesRepository } from './backup-states.repository.ts'
import { backupsRoutes } from './backups.routes.ts'
import { createS3ObjectStore } from './s3-object-store.ts'
import { createDeleteLeftBackups, type RecordAuditIn } from './delete-left-backups.ts'
import { createScheduleBackups } from './schedule-backups.ts'
import { createTransferBackup } from './transfer-backup.ts'

type Act = ServiceClaims['act']
type Call = { target: '/api/ops/backup' | '/api/ops/restore'; body: AsyncIterable<Buffer>; signal: AbortSignal }

type Deps = {
  config: NonNullable<Config['backups']>
  db: Db
  clock: Clock
  log: Log
  store: ManagedDaemonStore
  daemonClient(orgId: string): {
    readActivity(act: Act): Promise<{ activity: Activity }>
    lastRestore(act: Act): Promise<LastRestore>
    exchangeFrames(act: Act, call: Call): AsyncGenerator<Buffer>
  }
  timeoutMs: number
}

type RouteDeps = {
  guards: Guards
  run: RunOperation
  findOrganization: FindOrganization
  recordAudit: RecordAuditIn
}

/**
 * Backups of hosted daemons in a bucket: the audited operations that take, prove and restore them, and their schedule.
 */
export function createBackups({ config, db, clock, log, store, daemonClient, timeoutMs }: Deps) {
  const waiter = createDaemonWaiter({ store, clock, log })
  const catalog = createBackupCatalog({ store: createS3ObjectStore(config), clock })
  const statesOf = (trx: Db) => backupStatesRepository(trx, clock, config.everySeconds)
  const states = statesOf(db)
  const actOf = (actor: Actor): Act => (actor.kind === 'user' ? { user: actor.id } : { system: actor.id })

  return {
    effects: (tools: EffectTools): Effects =>
      createBackupEffects({
        ...tools,
        store,
        waiter,
        timeoutMs,
        catalog,
        states,
        transferFor: (actor) =>
          createTransferBackup({
            catalog,
            exchange: ({ orgId, ...call }) => daemonClient(orgId).exchangeFrames(actOf(actor), call),
          }),
        readActivity: async ({ orgId, actor }) => (await daemonClient(orgId).readActivity(actOf(actor))).activity,
        readLastRestore: async ({ orgId, actor }) => (await daemonClient(orgId).lastRestore(actOf(actor))).restore,
        backupKey: config.key,
        keep: config.keep,
        clock,
      }),
    close: waiter.close,
    findState: states.find,
    listStates: states.list,
    /**
     * The use of a daemon until its present sleep: with it, its last backup stays current until it wakes. It has to be
     * forgotten before each sleep.
     */
    uses: {
      record: states.updateSlept,
      forget: states.deleteSlept,
      /** The last word of the daemon itself. */
      stopped: (orgId: string, activity: string): void =>
        void states.updateStopped(orgId, activity).catch((err: unknown) => {
          log.warn({ err, orgId }, 'the use of a daemon until its stop was not recorded')
        }),
    },
    measure: (registry: Registry) => measureBackups(registry, states.measure),
    schedule: (run: RunOperation) =>
      createScheduleBackups({ states, run, drillSeconds: config.drillSeconds, clock, log }),
    /** Deletes the backups that deleted organizations have left. */
    left: (recordAudit: RecordAuditIn) =>
      createDeleteLeftBackups({ db, catalog, keepDays: config.keepDeletedDays, recordAudit, clock, log }),
    routes: ({ guards, run, findOrganization, recordAudit }: RouteDeps) => [
      backupsRoutes({
        guards,
        run,
        findOrganization,
        admitHosted: createAdmitHosted(findOrganization),
        catalog,
        db,
        statesOf,
        recordAudit,
      }),
    ],
  }
}
