import { fail } from '@svc/shared/wire/errors.ts'
import type { Disk } from './disk/disk.ts'
import { withFileFailures } from './fs-failure.ts'
import { nothingMounted, type MountedFolders } from './mounted-folders.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'

/** A real directory in which files are changed. */
export type FileRoot = {
  path: string
  disk: Disk
  /** Syncs folders, once for all callers that wait for the same one. */
  commit: GroupCommit
  /** The folders below the root that are disks of their own. */
  mounted: MountedFolders
  /** Fails when another directory has the place of the root: nothing may be written there. */
  refuseReplaced(): Promise<void>
  /**
   * True for a disk of this machine: reading a small file takes no noticeable time, and a sync does not change the
   * times of a file.
   */
  isLocal: boolean
  /** Fails with `storage_full` when that many more bytes would use the reserve of the volume. */
  makeRoom(bytes: number): Promise<void>
}

/**
 * Creates a root. The reserve leaves room for what must always work: deleting, its audit, and the flush of what was
 * accepted before.
 */
export function createFileRoot({
  path,
  disk,
  reservedBytes,
  mounted = nothingMounted,
  refuseReplaced = async () => {},
  isLocal = false,
}: {
  path: string
  disk: Disk
  reservedBytes: number
  mounted?: MountedFolders
  refuseReplaced?: FileRoot['refuseReplaced']
  isLocal?: boolean
}): FileRoot {
  return {
    path,
    disk,
    commit: createGroupCommit(),
    mounted,
    refuseReplaced,
    isLocal,
    async makeRoom(bytes) {
      const { bavail, bsize } = await withFileFailures(() => disk.statfs(path))
      const freeBytes = bavail * bsize
      if (freeBytes - bytes < reservedBytes) throw fail('storage_full', { freeBytes, reservedBytes })
    },
  }
}
