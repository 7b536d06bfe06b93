import { lockHolder, takeLock, type FileLock } from '@svc/shared/kit/lock-file.ts'
import { DataInUse } from '../database/postmaster.ts'

const NAME = 'lock'

/** Takes a data folder for this process alone, for as long as it runs or until released. */
export function lockData(dataDir: string): Promise<FileLock> {
  return takeLock({ folder: dataDir, name: NAME, held: (pid) => new DataInUse(dataDir, pid) })
}

/** The process that has the data folder; undefined when none does. */
export const dataHolder = (dataDir: string) => lockHolder(dataDir, NAME)
