import { z } from 'zod'
import { ConfirmedRequest, OperationId } from './admin.api.ts'
import { BackupState, BackupView } from '../backups.api.ts'
import { BackupId, RestoreSummary } from '../daemon/daemon-backups.api.ts'
import { OrgId } from '../ids.ts'

/** Requests and responses of the audited operations on backups. */

const ok = z.literal(true)
const time = z.iso.datetime()

/** The newest backup of everything that a daemon stores. `fresh`: nothing has changed since the returned one. */
export const BackupResult = z.object({
  ok,
  operationId: OperationId,
  orgId: OrgId,
  backup: BackupView,
  fresh: z.boolean().describe('The daemon sleeps and nobody has used it since this backup: none was made.'),
})
export type BackupResult = z.infer<typeof BackupResult>
export const RestoreRequest = ConfirmedRequest.extend({
  backupId: BackupId.describe('Which backup; the list of backups tells.'),
  fromOrgId: OrgId.optional().describe('The organization that it is of; default the same one.'),
})
/** The daemon runs with the home of the backup. Its home before was backed up first, unless it was empty. */
export const RestoreResult = z.object({
  ok,
  operationId: OperationId,
  orgId: OrgId,
  backupId: BackupId,
  fromOrgId: OrgId,
  resourceUid: z.string().describe('The resource whose daemon was filled.'),
  restored: RestoreSummary,
  safetyBackupId: BackupId.describe('What the daemon had right before; restore it to undo this.'),
})
export type RestoreResult = z.infer<typeof RestoreResult>
/** A backup was restored into a temporary daemon, and every file had the hash in its manifest. */
export const DrillResult = z.object({
  ok,
  operationId: OperationId,
  orgId: OrgId,
  backupId: BackupId,
  verifiedAt: time,
  restored: RestoreSummary,
})
export type DrillResult = z.infer<typeof DrillResult>
export const BackupList = z.object({ ok, backups: z.array(BackupView), state: BackupState })
