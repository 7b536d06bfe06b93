import { lockHolder, takeLock, type FileLock } from '@svc/shared/kit/lock/lock-file.ts'
import { DataInUse } from '../database/postmaster.ts'

const NAME = 'lock'

/** Locks a data folder for this process, until it ends or releases the lock. */
export function lockData(dataDir: string): FileLock {
  return takeLock({ folder: dataDir, name: NAME, held: (pid) => new DataInUse(dataDir, pid) })
}

/** The process that holds the data folder; undefined when there is none. */
export const dataHolder = (dataDir: string) => lockHolder(dataDir, NAME)

/** Another backup of this data folder is in progress: exit 75. */
export class BackupInProgress extends Error {
  constructor(dataDir: string, pid: number | undefined) {
    super(
      `Another backup of ${dataDir} is being taken${pid === undefined ? '' : ` (process ${pid})`}. Try again later.`,
    )
    this.name = 'BackupInProgress'
  }
}

/**
 * Takes the right to back up a data folder. A backup runs beside the platform. Of two at once, one would continue the
 * processes that the other has stopped.
 */
export function lockBackup(dataDir: string): FileLock {
  return takeLock({ folder: dataDir, name: 'backup.lock', held: (pid) => new BackupInProgress(dataDir, pid) })
}
