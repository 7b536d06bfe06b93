import { fail } from '@svc/shared/wire/errors.ts'
import type { Disk } from './disk.ts'
import { withFileFailures } from './fs-failure.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'

/** A real directory in which files are changed. */
export type FileRoot = {
  path: string
  disk: Disk
  /** Syncs folders, for all who wait for the same one at once. */
  commit: GroupCommit
  /** Fails with `storage_full` when so many more bytes would leave less than the reserve of the volume. */
  makeRoom(bytes: number): Promise<void>
}

/**
 * Makes a root. What is kept free leaves room for what must always work: deleting, the audit of that, and the flush of
 * what was accepted before.
 */
export function createFileRoot({
  path,
  disk,
  reservedBytes,
}: {
  path: string
  disk: Disk
  reservedBytes: number
}): FileRoot {
  return {
    path,
    disk,
    commit: createGroupCommit(),
    async makeRoom(bytes) {
      const { bavail, bsize } = await withFileFailures(() => disk.statfs(path))
      const freeBytes = bavail * bsize
      if (freeBytes - bytes < reservedBytes) throw fail('storage_full', { freeBytes, reservedBytes })
    },
  }
}
