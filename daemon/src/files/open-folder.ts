import { constants } from 'node:fs'
import { lstat, mkdir, open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '@svc/shared/wire/errors.ts'
import { errnoOf, toFileFailure } from './fs-failure.ts'

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** An open folder. `at` names an entry in exactly this folder, wherever its path leads by now. */
export type OpenFolder = { at(name: string): string; sync(): Promise<void>; close(): Promise<void> }

/** Opens a folder below a root segment by segment, never through a link. */
export function openFolder(root: string, segments: readonly string[]): Promise<OpenFolder> {
  return walk(root, segments, async (path) => {
    throw fail('not_found', undefined, { cause: path })
  })
}

/** As `openFolder`, and makes the folders that are missing, each durable before the next. */
export function openOrMakeFolder(root: string, segments: readonly string[]): Promise<OpenFolder> {
  return walk(root, segments, async (path, parent) => {
    await mkdir(path).catch((error: unknown) => {
      if (errnoOf(error) !== 'EEXIST') throw error
    })
    await parent.sync()
  })
}

type OnMissing = (path: string, parent: OpenFolder) => Promise<void>

async function walk(root: string, segments: readonly string[], onMissing: OnMissing): Promise<OpenFolder> {
  let folder = toOpenFolder(await open(root, FOLDER), root)
  try {
    for (const segment of segments) {
      const path = folder.at(segment)
      const handle = await openSegment(path, folder, onMissing)
      await folder.close()
      folder = toOpenFolder(handle, path)
    }
    return folder
  } catch (error) {
    await folder.close()
    throw toFileFailure(error)
  }
}

async function openSegment(path: string, parent: OpenFolder, onMissing: OnMissing): Promise<FileHandle> {
  try {
    return await open(path, FOLDER)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') {
      await onMissing(path, parent)
      return open(path, FOLDER)
    }
    const entry = await lstat(path)
    if (!entry.isDirectory())
      throw fail('invalid_request', [{ path: 'path', message: 'leads through something that is not a folder' }])
    throw error
  }
}

function toOpenFolder(handle: FileHandle, path: string): OpenFolder {
  let closed = false
  // Linux names an open folder by its descriptor: the same as openat, which Node lacks.
  const base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path
  return {
    at: (name) => join(base, name),
    sync: () => handle.sync(),
    async close() {
      if (!closed) await handle.close()
      closed = true
    },
  }
}
