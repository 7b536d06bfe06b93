import {
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  statfsSync,
  unlinkSync,
} from 'node:fs'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { systemDisk, type Disk } from './disk.ts'
import { localFile } from './local-file.ts'
import { createLoopTime } from './loop-time.ts'

// Each write to a file opened with such a flag waits for the disk. The bits of O_SYNC include those of O_DSYNC.
const SYNCED = constants.O_SYNC ?? 0

/**
 * Operations for disks of this machine. An operation that changes only memory of the kernel runs on the event loop: it
 * takes about 10 µs, and a thread would take five times as long. Operations that wait for the disk, or take longer for
 * more data, run in a thread: syncs, large contents, long folders, and freeing a file. After a slow operation, every
 * operation runs in a thread for a while.
 */
export function createLocalDisk({ clock }: { clock: Pick<Clock, 'monotonic'> }): Disk {
  // On other systems, it is not known which disks belong to this machine.
  if (process.platform !== 'linux') return systemDisk
  const time = createLoopTime(clock)

  const step =
    <Given extends unknown[], T>(now: (...given: Given) => T, inThread: (...given: Given) => Promise<T>) =>
    async (...given: Given): Promise<T> =>
      time.isLeft() ? time.spend(() => now(...given)) : inThread(...given)

  return {
    ...systemDisk,
    dropName: step(unlinkSync, systemDisk.dropName),
    link: step(linkSync, systemDisk.link),
    lstat: step(
      (path: string) => lstatSync(path),
      (path) => systemDisk.lstat(path),
    ),
    mkdir: step(
      (path: string) => mkdirSync(path),
      (path) => systemDisk.mkdir(path),
    ),
    async open(path, flags, mode) {
      const isSynced = typeof flags === 'number' && (flags & SYNCED) !== 0
      if (isSynced || !time.isLeft()) return systemDisk.open(path, flags, mode)
      const fd = time.spend(() => openSync(path, flags, mode))
      return localFile(fd, time)
    },
    rename: step(renameSync, systemDisk.rename),
    rmdir: step((path: string) => rmdirSync(path), systemDisk.rmdir),
    statfs: step(
      (path: string) => statfsSync(path),
      (path) => systemDisk.statfs(path),
    ),
  }
}
