import type { BackupView } from '@svc/shared/wire/backups.api.ts'
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
