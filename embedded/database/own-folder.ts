import { chmod, chown, lstat, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A user of the system by numbers; undefined means the user that runs this process. */
export type Owner = { uid: number; gid: number } | undefined

/** Somebody else made a folder that has to be ours. */
export class ForeignFolder extends Error {
  constructor(path: string) {
    super(`${path} was made by another user, or is a link. Remove it; nothing was changed`)
    this.name = 'ForeignFolder'
  }
}

/**
 * Makes a folder of this owner and mode, or takes the one that is there. A link, or a folder that belongs to anybody
 * but us or this owner, is refused: another user may have laid it there in advance.
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
