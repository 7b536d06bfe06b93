import { constants } from 'node:fs'
import { join } from 'node:path'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { DiskFile } from './disk/disk.ts'
import { giveNewFolder, ownerInside, type Owner } from './disk/file-access.ts'
import { descriptorPath, whereIsOpen } from './disk/open-descriptor.ts'
import type { FileRoot } from './file-root.ts'
import { errnoOf, toFileFailure } from './fs-failure.ts'
import { statOfOpen } from './regular-file.ts'
import { splitPath } from './vault-path.ts'

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const NO_FOLDER = ['ENOENT', 'ENOTDIR', 'ELOOP']

/** An open folder. `at` names an entry in exactly this folder, even if its path now leads elsewhere. */
export type OpenFolder = {
  at(name: string): string
  /** The owner of what is created in it. */
  ownerInside(): Partial<Owner>
  sync(): Promise<void>
  close(): Promise<void>
}

/** Opens a folder below a root, never through a link. */
export function openFolder(root: FileRoot, segments: readonly string[]): Promise<OpenFolder> {
  return walk(root, segments, async (path) => {
    throw fail('not_found', undefined, { cause: path })
  })
}

/** Like `openFolder`, but creates missing folders, each durable before the next. Only for writers. */
export async function openOrMakeFolder(root: FileRoot, segments: readonly string[]): Promise<OpenFolder> {
  await root.refuseReplaced()
  return walk(root, segments, async (path, parent) => {
    const isMade = await root.disk.mkdir(path).then(
      () => true,
      (error: unknown) => {
        if (errnoOf(error) !== 'EEXIST') throw error
        return false
      },
    )
    if (isMade) await giveNewFolder(root.disk, path, parent.ownerInside())
    await parent.sync()
  })
}

/** The owner of a new file at a path: as the nearest folder that exists already decides. */
export async function ownerAt(root: FileRoot, path: string): Promise<Partial<Owner>> {
  for (let { folders } = splitPath(path); ; folders = folders.slice(0, -1)) {
    const owner = await inFolder(openFolder(root, folders), async (folder) => folder.ownerInside()).catch(
      (error: unknown) => {
        if (folders.length === 0 || !(isFailure(error, 'not_found') || isFailure(error, 'invalid_request'))) throw error
      },
    )
    if (owner) return owner
  }
}

/** Uses a folder and closes it. */
export async function inFolder<T>(opening: Promise<OpenFolder>, use: (folder: OpenFolder) => Promise<T>): Promise<T> {
  const folder = await opening
  try {
    return await use(folder)
  } finally {
    await folder.close()
  }
}

type OnMissing = (path: string, parent: OpenFolder) => Promise<void>

async function walk(root: FileRoot, segments: readonly string[], onMissing: OnMissing): Promise<OpenFolder> {
  const { mounted } = root
  let folder: OpenFolder | undefined
  try {
    await mounted.refuseAway(segments.join('/'))
    folder = (await openAtOnce(root, segments)) ?? (await openInTurn(root, segments, onMissing))
    // An open folder keeps its disk from being unmounted, but it may have been unmounted before.
    await mounted.refuseAway(segments.join('/'))
    return folder
  } catch (error) {
    await folder?.close()
    throw toFileFailure(error)
  }
}

/** Opens a folder in one step; undefined if a link on the way cannot be excluded. */
async function openAtOnce(root: FileRoot, segments: readonly string[]): Promise<OpenFolder | undefined> {
  if (process.platform !== 'linux') return undefined
  const path = join(root.path, ...segments)
  let handle: DiskFile
  try {
    handle = await root.disk.open(path, FOLDER)
  } catch (error) {
    if (NO_FOLDER.includes(errnoOf(error) ?? '')) return undefined
    throw error
  }
  // It is elsewhere if a link on the way was followed.
  if (whereIsOpen(handle.fd) === path) return toOpenFolder(root, handle, path)
  await handle.close()
  return undefined
}

/** Opens a folder segment by segment, which refuses links and finds missing folders. */
async function openInTurn(root: FileRoot, segments: readonly string[], onMissing: OnMissing): Promise<OpenFolder> {
  let folder = toOpenFolder(root, await root.disk.open(root.path, FOLDER), root.path)
  try {
    for (const segment of segments) {
      const path = folder.at(segment)
      const parent = folder
      const handle = await openSegment(root, path, (missing) => onMissing(missing, parent))
      await folder.close()
      folder = toOpenFolder(root, handle, path)
    }
    return folder
  } catch (error) {
    await folder.close()
    throw error
  }
}

async function openSegment(
  { disk }: FileRoot,
  path: string,
  onMissing: (path: string) => Promise<void>,
): Promise<DiskFile> {
  try {
    return await disk.open(path, FOLDER)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') {
      await onMissing(path)
      return disk.open(path, FOLDER)
    }
    if (errnoOf(error) !== 'ENOTDIR' && errnoOf(error) !== 'ELOOP') throw error
    throw fail('invalid_request', [{ path: 'path', message: 'leads through something that is not a folder' }])
  }
}

function toOpenFolder({ commit }: FileRoot, handle: DiskFile, path: string): OpenFolder {
  let closed = false
  const base = process.platform === 'linux' ? descriptorPath(handle.fd) : path
  return {
    at: (name) => join(base, name),
    ownerInside: () => ownerInside(statOfOpen(handle)),
    async sync() {
      const { dev, ino } = statOfOpen(handle)
      await commit(`${dev}:${ino}`, () => handle.sync())
    },
    async close() {
      // Nothing depends on the close, so nobody waits for it.
      if (!closed) handle.close().catch(() => {})
      closed = true
    },
  }
}
