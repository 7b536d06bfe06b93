import { constants } from 'node:fs'
import { realpath, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail } from '@svc/shared/wire/errors.ts'
import { accessOf, type FileAccess } from './disk/file-access.ts'
import { whereIsOpen } from './disk/open-descriptor.ts'
import { sameStamp, stampOf, type FileStamp } from './file-stamp.ts'
import { withFileFailures } from './fs-failure.ts'
import { NotRegularFile, openWithStat, statOfOpen } from './regular-file.ts'

/** A regular file inside a root, open for reading. The caller closes the handle. */
export type OpenFile = { handle: FileHandle; stamp: FileStamp; access: FileAccess }

/**
 * Opens a regular file below a real root without leaving it: follows no link, and checks after opening where the file
 * really is, so that swapping a folder for a link in between gains nothing.
 */
export async function openFile(root: string, path: string): Promise<OpenFile> {
  const full = join(root, path)
  const { handle, stat } = await withFileFailures(() => openWithStat(full, constants.O_RDONLY)).catch(
    (error: unknown) => {
      throw error instanceof NotRegularFile ? fail('not_found', undefined, { cause: error }) : error
    },
  )
  try {
    if ((await whereIs(handle, full)) !== full) throw fail('not_found')
    return { handle, stamp: stampOf(stat), access: accessOf(stat) }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function whereIs(handle: FileHandle, full: string): Promise<string> {
  if (process.platform === 'linux') return whereIsOpen(handle.fd)
  return join(await withFileFailures(() => realpath(dirname(full))), full.slice(dirname(full).length + 1))
}

/** The bytes of a file with their stamp; a file above the limit is `payload_too_large`. */
export async function readWhole(root: string, path: string, maxBytes: number) {
  const { handle, access, stamp } = await openFile(root, path)
  try {
    for (let before = stamp; ; before = stampOf(statOfOpen(handle))) {
      if (before.size > maxBytes) throw fail('payload_too_large', { maxBytes })
      const bytes = Buffer.alloc(before.size)
      const { bytesRead } = before.size > 0 ? await handle.read(bytes, 0, before.size, 0) : { bytesRead: 0 }
      const after = statOfOpen(handle)
      // Somebody wrote in place while we read: the bytes would be a mixture of states.
      if (bytesRead === before.size && sameStamp(before, after)) return { bytes, stamp: stampOf(after), access }
    }
  } finally {
    // Nothing depends on the close, so nobody waits for it.
    handle.close().catch(() => {})
  }
}
