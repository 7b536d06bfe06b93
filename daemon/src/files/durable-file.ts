import { randomBytes } from 'node:crypto'
import { constants, createWriteStream } from 'node:fs'
import { chmod, link, lstat, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { errnoOf, withFileFailures } from './fs-failure.ts'
import { stampOf, type FileStamp } from './open-file.ts'
import { openOrMakeFolder, type OpenFolder } from './open-folder.ts'

/** A complete, synced file that waits in `.svc/tmp`. `discard` is called in any case, after placing it too. */
export type StagedFile = { path: string; stamp: FileStamp; discard(): Promise<void> }

const TMP = ['.svc', 'tmp']

/** Writes bytes to a new file of a vault's `.svc/tmp` and syncs them; `mode` is that of the file to be replaced. */
export function stageBytes(root: string, bytes: Buffer, mode?: number): Promise<StagedFile> {
  return stage(root, async (path) => {
    await writeNewFile(path, bytes, 0o644)
    if (mode !== undefined) await chmod(path, mode)
  })
}

/** Streams a body to a new file of a vault's `.svc/tmp` and syncs it; nothing is left behind when the stream fails. */
export function stageStream(root: string, body: AsyncIterable<Buffer>): Promise<StagedFile> {
  return stage(root, (path) =>
    pipeline(body as Readable, createWriteStream(path, { flags: 'wx', mode: 0o644, flush: true })),
  )
}

function stage(root: string, fill: (path: string) => Promise<void>): Promise<StagedFile> {
  return withFileFailures(async () => {
    const folder = await openOrMakeFolder(root, TMP)
    const path = folder.at(randomBytes(12).toString('hex'))
    const discard = async () => {
      await rm(path, { force: true })
      await folder.close()
    }
    try {
      await fill(path)
      return { path, stamp: stampOf(await lstat(path)), discard }
    } catch (error) {
      await discard()
      throw error
    }
  })
}

/** Puts a staged file in the place of an existing one, in one step, and makes that durable; answers its stamp there. */
export function placeOver(file: StagedFile, folder: OpenFolder, name: string): Promise<FileStamp> {
  return withFileFailures(async () => {
    await rename(file.path, folder.at(name))
    await folder.sync()
    return stampInPlace(file, folder.at(name))
  })
}

/** Puts a staged file where nothing is yet and makes that durable; answers undefined, changing nothing, if something is. */
export function placeNew(file: StagedFile, folder: OpenFolder, name: string): Promise<FileStamp | undefined> {
  return withFileFailures(async () => {
    if (!(await moveToNew(file.path, folder.at(name)))) return undefined
    await folder.sync()
    return stampInPlace(file, folder.at(name))
  })
}

/** Moves a file to a name that is free; answers false, changing nothing, when it is not. */
export async function moveToNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    await rm(from)
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'].includes(errnoOf(error) ?? '')) throw error
    // A file system without hard links: the queue of the path keeps our own writers apart.
    if (await exists(to)) return false
    await rename(from, to)
    return true
  }
}

/** Moving a file changes its ctime. Where more has changed, somebody wrote since, and the stamp must show it as unseen. */
async function stampInPlace({ stamp }: StagedFile, path: string): Promise<FileStamp> {
  const now = await lstat(path).catch(() => undefined)
  const untouched = now && now.ino === stamp.ino && now.size === stamp.size && now.mtimeMs === stamp.mtimeMs
  return untouched ? stampOf(now) : { ...stamp, ctimeMs: 0 }
}

/** True when there is anything under this name, a dangling link included. */
export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false
    throw error
  }
}

/** A small JSON file of our own, replaced in one step and durable. */
export async function writeJsonFile(folder: string, name: string, value: unknown): Promise<void> {
  const path = join(folder, `.${name}.${randomBytes(6).toString('hex')}`)
  try {
    await writeNewFile(path, `${JSON.stringify(value, null, 2)}\n`)
    await rename(path, join(folder, name))
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
  await syncFolder(folder)
}

/** Writes and syncs a file under a name that must be free. Its folder is synced by the caller. */
export async function writeNewFile(path: string, content: string | Buffer, mode = 0o600): Promise<void> {
  const handle = await open(path, 'wx', mode)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
