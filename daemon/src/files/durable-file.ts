import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { systemDisk, type Disk } from './disk/disk.ts'
import { giveAccess, giveNewFolder, ownerInside, type Owner } from './disk/file-access.ts'
import { errnoOf } from './fs-failure.ts'

type NewFile = {
  path: string
  content: string | Buffer | AsyncIterable<Buffer>
  mode?: number
  owner?: Partial<Owner>
  disk?: Disk
}

/** Writes and syncs a file under a name that must be free. The caller syncs its folder. */
export async function writeNewFile({ path, content, mode = 0o600, owner = {}, disk = systemDisk }: NewFile) {
  const handle = await disk.open(path, 'wx', mode)
  try {
    await giveAccess(handle, owner)
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A small JSON file of the daemon's own, replaced atomically and durable. */
export const writeJsonFile = (folder: string, name: string, value: unknown): Promise<void> =>
  replaceFile(folder, name, `${JSON.stringify(value, null, 2)}\n`)

/** A small file of the daemon's own, readable by its owner only, replaced atomically and durable. */
export async function replaceFile(folder: string, name: string, content: string): Promise<void> {
  const path = join(folder, `.${name}.${randomBytes(6).toString('hex')}`)
  try {
    await writeNewFile({ path, content })
    await rename(path, join(folder, name))
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
  await syncFolder(folder)
}

/** The owner of what is created at a path: root creates it for the owner of the folder. */
export async function ownerOfNew(path: string): Promise<Partial<Owner>> {
  return process.getuid?.() === 0 ? ownerInside(await stat(dirname(path))) : {}
}

/** Creates a folder in one that exists, for the owner of that one. */
export async function makeNewFolder(path: string): Promise<void> {
  await mkdir(path)
  await giveNewFolder(systemDisk, path, await ownerOfNew(path))
}

/** Like `makeNewFolder`, with the folders above it; nothing happens if it exists. */
export async function makeFolders(path: string): Promise<void> {
  try {
    await makeNewFolder(path)
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return
    if (errnoOf(error) !== 'ENOENT') throw error
    await makeFolders(dirname(path))
    await makeNewFolder(path)
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

/** True when anything has this name, including a dangling link. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false
    throw error
  }
}
