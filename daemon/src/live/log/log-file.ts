import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Disk, DiskFile } from '../../files/disk/disk.ts'
import { syncFolder } from '../../files/durable-file.ts'
import { errnoOf, withFileFailures } from '../../files/fs-failure.ts'
import { openRegularFile, openToAppendOn, statOfOpen } from '../../files/regular-file.ts'
import type { LogFile } from './write-ahead-log.ts'

// With O_DSYNC, a write is durable when it returns, and takes one turn of a thread instead of two. On other systems,
// the flag may leave the bytes in the cache of the disk; an explicit sync does not.
const SYNC_FLAG = process.platform === 'linux' ? constants.O_DSYNC : 0

/** The bytes of a log, or undefined if there is none. */
export async function readLog(path: string): Promise<Buffer | undefined> {
  try {
    const handle = await openRegularFile(path, constants.O_RDONLY)
    try {
      return await handle.readFile()
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The file of a log on a disk. It is open while it is written to. */
export function logFile({ path, disk }: { path: string; disk: Disk }): LogFile {
  let handle: DiskFile | undefined
  // Nothing else writes to the file while it is open here.
  let size = 0

  async function open(): Promise<DiskFile> {
    const opened = await openToAppendOn(disk, path, SYNC_FLAG)
    size = statOfOpen(opened).size
    return opened
  }

  const append = (bytes: Buffer) =>
    withFileFailures(async () => {
      handle ??= await open()
      try {
        for (let at = 0; at < bytes.length;) at += (await handle.write(bytes, at)).bytesWritten
        if (SYNC_FLAG === 0) await handle.datasync()
        size += bytes.length
      } catch (error) {
        // Unconfirmed bytes must not be read as a record.
        await handle.truncate(size).catch(() => {})
        throw error
      }
    })

  async function close(): Promise<void> {
    const open = handle
    handle = undefined
    await open?.close()
  }

  return {
    append,
    replace: (bytes) =>
      withFileFailures(async () => {
        await close()
        const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`)
        try {
          const next = await disk.open(draft, 'wx', 0o600)
          try {
            await next.writeFile(bytes)
            await next.sync()
          } finally {
            await next.close()
          }
          await disk.rename(draft, path)
        } catch (error) {
          await disk.rm(draft, { force: true }).catch(() => {})
          throw error
        }
        await syncFolder(dirname(path))
      }),
    async remove() {
      await close()
      await disk.rm(path, { force: true })
    },
    close,
  }
}
