import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Disk } from '../../files/disk.ts'
import { syncFolder } from '../../files/durable-file.ts'
import { errnoOf, withFileFailures } from '../../files/fs-failure.ts'
import { openRegularFile, openToAppend } from '../../files/regular-file.ts'
import type { LogFile } from './write-ahead-log.ts'

/** The bytes of a log, or undefined where there is none. */
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
  let handle: FileHandle | undefined
  // Nobody else writes to the file while it is open here.
  let size = 0

  async function open(): Promise<FileHandle> {
    const opened = await openToAppend(path, disk)
    size = (await opened.stat()).size
    return opened
  }

  const write = (bytes: Buffer, sync: (handle: FileHandle) => Promise<void>) =>
    withFileFailures(async () => {
      handle ??= await open()
      try {
        await handle.writeFile(bytes)
        await sync(handle)
        size += bytes.length
      } catch (error) {
        // What was not confirmed must not be read as a record.
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
    append: (bytes) => write(bytes, (open) => open.datasync()),
    appendUnsynced: (bytes) => write(bytes, async () => {}),
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
