import { closeSync, fstatSync, readlinkSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { sameStamp } from './file-stamp.ts'
import { openRegularFileSync } from './open-sync.ts'

// A larger file would hold the event loop for too long.
const SMALL = 64 * 1024

/**
 * The bytes of a small file, read on the event loop: of many files, that takes a fraction of what threads take. Only for
 * disks of this machine. Undefined when the file cannot be read in this way: whoever needs it reads it by `readWhole`,
 * which follows the same rules.
 */
export function readNow(root: string, path: string): Buffer | undefined {
  if (process.platform !== 'linux') return undefined
  const full = join(root, path)
  let fd: number | undefined
  try {
    const { fd: opened, stat } = openRegularFileSync(full)
    fd = opened
    if (stat.size > SMALL || readlinkSync(`/proc/self/fd/${fd}`) !== full) return undefined
    const bytes = Buffer.allocUnsafeSlow(stat.size)
    const count = stat.size === 0 ? 0 : readSync(fd, bytes, 0, stat.size, 0)
    return count === stat.size && sameStamp(stat, fstatSync(fd)) ? bytes : undefined
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
