import { closeSync, fstatSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { accessOf, type FileAccess } from './disk/file-access.ts'
import { whereIsOpen } from './disk/open-descriptor.ts'
import { sameStamp, stampOf, type FileStamp } from './file-stamp.ts'
import { errnoOf, toFileFailure } from './fs-failure.ts'
import { openRegularFileSync } from './open-sync.ts'

// A larger file would block the event loop for too long.
const SMALL = 64 * 1024

/**
 * A small file, read on the event loop, which takes a fraction of the time of a thread. Only for disks of this machine.
 * A missing file is `not_found`. Undefined if the file cannot be read in this way: the caller then uses `readWhole`,
 * which follows the same rules.
 */
export function readNow(
  root: string,
  path: string,
): { bytes: Buffer; stamp: FileStamp; access: FileAccess } | undefined {
  if (process.platform !== 'linux') return undefined
  const full = join(root, path)
  let fd: number | undefined
  try {
    const { fd: opened, stat } = openRegularFileSync(full)
    fd = opened
    if (stat.size > SMALL || whereIsOpen(fd) !== full) return undefined
    const bytes = Buffer.allocUnsafeSlow(stat.size)
    const count = stat.size === 0 ? 0 : readSync(fd, bytes, 0, stat.size, 0)
    if (count !== stat.size || !sameStamp(stat, fstatSync(fd))) return undefined
    return { bytes, stamp: stampOf(stat), access: accessOf(stat) }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw toFileFailure(error)
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
