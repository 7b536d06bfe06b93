import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { ConfirmedRequest } from '@svc/shared/wire/admin/admin.api.ts'
import {
  BackupList,
  BackupResult,
  DrillResult,
  RestoreRequest,
  RestoreResult,
} from '@svc/shared/wire/admin/admin-backups.api.ts'
import { BackupScheduleRequest, BackupScheduleResult } from '@svc/shared/wire/backups.api.ts'
import { OrgParams } from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { recordOfSetting } from '../audit/record-of-setting.ts'
import type { Db } from '../db/database.ts'
import { mountConfirmed, type ConfirmedDeps, type ConfirmedOperation } from '../effects/mount-confirmed.ts'
import type { BackupCatalog } from './backup-catalog.ts'
import type { BackupStates } from './backup-states.repository.ts'
import { toBackupView } from './backup-view.ts'
import type { RecordAuditIn } from './delete-left-backups.ts'

type Deps = ConfirmedDeps & {
  catalog: BackupCatalog
  db: Db
  statesOf: (trx: Db) => BackupStates
  recordAudit: RecordAuditIn
}

const DAEMON = '/api/admin/managed-daemons/:orgId'
const LIST_MS = 20_000
const SHOWN = 50

const operations: ConfirmedOperation[] = [
  { path: `${DAEMON}/backups`, action: 'backup', body: ConfirmedRequest, result: BackupResult },
  { path: `${DAEMON}/backups/drill`, action: 'backup_drill', body: ConfirmedRequest, result: DrillResult },
  { path: `${DAEMON}/restore`, action: 'restore', body: RestoreRequest, result: RestoreResult },
]

/**
 * Routes of backups: for system admins the list and the audited operations, for admins of the organization the
 * schedule.
 */
export function backupsRoutes(deps: Deps): FastifyPluginAsyncZod {
  const { guards, catalog, db, statesOf, recordAudit } = deps
  const states = statesOf(db)
  return async (app) => {
    app.get(
      `${DAEMON}/backups`,
      { onRequest: guards.systemAdmin, schema: { params: OrgParams, response: { 200: BackupList } } },
      async ({ params: { orgId } }) => {
        const signal = AbortSignal.timeout(LIST_MS)
        const ids = (await catalog.listIds(orgId, signal)).slice(0, SHOWN)
        const found = await Promise.all(ids.map((id) => catalog.find(orgId, id, signal).catch(() => undefined)))
        const backups = found.flatMap((envelope) => (envelope ? [toBackupView(envelope)] : []))
        return { ok: true as const, backups, state: await states.find(orgId) }
      },
    )

    mountConfirmed(app, deps, operations)

    app.patch(
      '/api/orgs/:orgId/hosted/backups',
      {
        onRequest: guards.orgAdmin,
        schema: { params: OrgParams, body: BackupScheduleRequest, response: { 200: BackupScheduleResult } },
      },
      async ({ membership: { organization }, session: { person }, body: { seconds } }) => {
        if (organization.daemonMode !== 'cloud_hosted') throw fail('not_hosted_daemon')
        const orgId = organization.id
        await db.transaction().execute(async (trx) => {
          await statesOf(trx).updateSchedule(orgId, seconds)
          const event = 'organization.backup_schedule_set'
          await recordAudit(trx, orgId, recordOfSetting({ event, orgId, userId: person.id, seconds }))
        })
        const { everySeconds, from } = await states.find(orgId)
        return { ok: true as const, everySeconds, from }
      },
    )
  }
}
