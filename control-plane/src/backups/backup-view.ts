import type { Selectable } from 'kysely'
import type { BackupState, BackupView } from '@svc/shared/wire/backups.api.ts'
import type { BackupStatesTable } from '../db/tables/backups.tables.ts'
import type { Envelope } from './backup-catalog.ts'

/** A backup in the form of the API. */
export const toBackupView = ({ backupId, summary }: Envelope): BackupView => ({
  backupId,
  takenAt: summary.takenAt,
  files: summary.files,
  bytes: summary.bytes,
  sentBytes: summary.sentBytes,
  settled: summary.settled,
})

/** The state of an organization's backups in the form of the API. */
export function toBackupState(
  row: Selectable<BackupStatesTable> | undefined,
  platformSeconds: number,
): Omit<BackupState, 'awaitsRestore'> {
  const own = row?.every_seconds ?? null
  return {
    everySeconds: own ?? platformSeconds,
    from: own === null ? 'platform' : 'organization',
    last:
      row?.last_backup_id && row.last_taken_at
        ? {
            backupId: row.last_backup_id,
            takenAt: row.last_taken_at.toISOString(),
            currentAt: later(row.last_taken_at, row.last_current_at).toISOString(),
            bytes: row.last_bytes ?? 0,
            files: row.last_files ?? 0,
          }
        : null,
    verified:
      row?.verified_backup_id && row.verified_at
        ? { backupId: row.verified_backup_id, verifiedAt: row.verified_at.toISOString() }
        : null,
    problem:
      row?.problem_code && row.problem_at
        ? {
            of: row.problem_of ?? undefined,
            code: row.problem_code,
            reason: row.problem_reason ?? undefined,
            at: row.problem_at.toISOString(),
          }
        : null,
  }
}

const later = (one: Date, other: Date | null): Date => (other !== null && other > one ? other : one)
