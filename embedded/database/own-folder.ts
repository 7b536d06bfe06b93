import { chmod, chown, lstat, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A system user by uid and gid; undefined means the user of this process. */
export type Owner = { uid: number; gid: number } | undefined

/** Another user created a folder that must be ours. */
export class ForeignFolder extends Error {
  constructor(path: string) {
    super(`${path} was made by another user, or is a link. Move it away; nothing in it was changed`)
    this.name = 'ForeignFolder'
  }
}

/**
 * Creates a folder with this owner and mode, or uses the existing one. Refuses a link and a folder of anybody but us or
 * this owner: another user may have put it there in advance.
 */
export async function ownFolder(path: string, { owner, mode }: { owner?: Owner; mode: number }): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await mkdir(path, { mode }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const found = await lstat(path)
  const ours = [process.getuid?.(), owner?.uid].filter((uid) => uid !== undefined)
  if (!found.isDirectory() || (ours.length > 0 && !ours.includes(found.uid))) throw new ForeignFolder(path)
  if (owner !== undefined) await chown(path, owner.uid, owner.gid)
  if ((found.mode & 0o7777) !== mode) await chmod(path, mode)
}
