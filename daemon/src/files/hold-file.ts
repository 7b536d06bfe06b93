import { constants } from 'node:fs'
import { accessOf, giveAccess } from './disk/file-access.ts'
import type { FileRoot } from './file-root.ts'
import { errnoOf } from './fs-failure.ts'
import { openRegularFile } from './regular-file.ts'

/** Keeps the content of a file under a second name: by a link, or by a copy if the file system has no links. */
export async function holdFile(root: FileRoot, path: string, held: string): Promise<void> {
  if (await tryLink(root, path, held)) return
  const source = await openRegularFile(path, constants.O_RDONLY)
  try {
    const access = accessOf(await source.stat())
    const copy = await root.disk.open(held, 'wx', 0o600)
    try {
      await giveAccess(copy, access)
      await copy.writeFile(source.createReadStream({ autoClose: false }))
      await copy.sync()
    } finally {
      await copy.close()
    }
  } finally {
    await source.close()
  }
}

/** Creates a second name for a file; returns false if the file system does not support that. */
export async function tryLink({ disk }: FileRoot, from: string, to: string): Promise<boolean> {
  try {
    await disk.link(from, to)
    return true
  } catch (error) {
    if (hasNoLinks(error)) return false
    throw error
  }
}

/** True for the failures of a file system that supports no second names. */
export const hasNoLinks = (error: unknown): boolean =>
  ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errnoOf(error) ?? '')
