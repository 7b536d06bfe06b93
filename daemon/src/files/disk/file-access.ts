import { constants, type Stats } from 'node:fs'
import { errnoOf } from '../fs-failure.ts'
import { statOfOpen } from '../regular-file.ts'
import type { Disk, DiskFile } from './disk.ts'
import { descriptorPath } from './open-descriptor.ts'

/** The owner and group of a file. */
export type Owner = { uid: number; gid: number }
/** Who may use a file: its owner and group, and the permissions of all. */
export type FileAccess = Owner & { mode: number }

const PERMISSIONS = 0o777
const SETGID = 0o2000
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
// Not allowed, not known to this system, or not supported by the disk.
const REFUSED = ['EPERM', 'EACCES', 'EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']

/**
 * The access of a file that replaces another one. Bits that give a program the rights of its owner are left out: the new
 * content is somebody else's.
 */
export const accessOf = ({ uid, gid, mode }: FileAccess): FileAccess => ({ uid, gid, mode: mode & PERMISSIONS })

/**
 * The owner of a new file or folder in this one. Root creates things for the owner of the folder. For others, only a
 * folder that passes on its group matters, since files are not created in the folder where they end.
 */
export function ownerInside(folder: Pick<Stats, 'uid' | 'gid' | 'mode'>): Partial<Owner> {
  if (process.getuid?.() === 0) return { uid: folder.uid, gid: folder.gid }
  return (folder.mode & SETGID) === 0 ? {} : { gid: folder.gid }
}

/** True if a file has not the access that is wanted. */
export const differs = (is: FileAccess, wanted: Partial<FileAccess>): boolean =>
  (wanted.uid ?? is.uid) !== is.uid ||
  (wanted.gid ?? is.gid) !== is.gid ||
  (wanted.mode ?? is.mode & 0o7777) !== (is.mode & 0o7777)

/**
 * Gives an open file another owner and other permissions, as far as they are given. A disk or a user that may not change
 * the owner leaves it as it is. A new file gets them before its content: on a file server, the stat would wait on the
 * event loop until the content is there.
 */
export async function giveAccess(file: DiskFile, access: Partial<FileAccess>): Promise<void> {
  if ((access.uid ?? access.gid ?? access.mode) === undefined) return
  const { uid, gid, mode } = statOfOpen(file)
  // Root without CAP_FOWNER may give a file to somebody else, and cannot change its permissions after that.
  if (access.mode !== undefined && access.mode !== (mode & 0o7777)) await file.chmod(access.mode)
  const wanted = { uid: access.uid ?? uid, gid: access.gid ?? gid }
  if (wanted.uid !== uid || wanted.gid !== gid) {
    const isGiven = await tryOwner(file, wanted)
    if (!isGiven && wanted.uid !== uid && wanted.gid !== gid) await tryOwner(file, { uid, gid: wanted.gid })
  }
}

/**
 * Like `giveAccess`, for a file by its path. Does nothing if another file has that name by now: a link there could lead
 * to any file of the system.
 */
export async function giveAccessTo(
  disk: Pick<Disk, 'open'>,
  { path, ino }: { path: string; ino: number },
  access: Partial<FileAccess>,
): Promise<void> {
  const file = await disk.open(path, FILE)
  try {
    const stat = statOfOpen(file)
    if (stat.isFile() && stat.ino === ino) await giveAccess(file, access)
  } finally {
    await file.close()
  }
}

/** Gives a folder that was just created the owner of the folder above. One that is not empty is not new. */
export async function giveNewFolder(disk: Pick<Disk, 'open' | 'readdir'>, path: string, owner: Partial<Owner>) {
  if (owner.uid === undefined || (owner.uid === 0 && owner.gid === 0)) return
  const folder = await disk.open(path, FOLDER)
  try {
    const inside = process.platform === 'linux' ? descriptorPath(folder.fd) : path
    if ((await disk.readdir(inside)).length === 0) await giveAccess(folder, owner)
  } finally {
    await folder.close()
  }
}

async function tryOwner(file: DiskFile, { uid, gid }: Owner): Promise<boolean> {
  try {
    await file.chown(uid, gid)
    return true
  } catch (error) {
    if (REFUSED.includes(errnoOf(error) ?? '')) return false
    throw error
  }
}
