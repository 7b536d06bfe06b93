import type { FileRoot } from './file-root.ts'
import { errnoOf, withFileFailures } from './fs-failure.ts'
import { hasNoLinks, tryLink } from './hold-file.ts'
import { isSameFile, otherStamp, sameStamp, stampOf, type FileStamp } from './file-stamp.ts'
import type { OpenFolder } from './open-folder.ts'
import type { StagedFile } from './stage-file.ts'

/** The destination of a file: a name in an open folder of a vault. */
export type Place = { root: FileRoot; folder: OpenFolder; name: string }

/**
 * Replaces the file that has a stamp with a staged one, in one durable step, and returns the new stamp. Returns
 * undefined when another file is there by now, or the file was written meanwhile; then it stays as it is. The old file
 * is kept until the new one is durable: a failure leaves the old one in place.
 */
export function placeOver(place: Place, staged: StagedFile, expected: FileStamp): Promise<FileStamp | undefined> {
  const { root, folder, name } = place
  const { disk } = root
  const target = folder.at(name)

  return withFileFailures(async () => {
    const now = await statOrNothing(root, target)
    if (!now || !sameStamp(now, expected)) return undefined
    const old = staged.beside()
    const isHeld = await tryLink(root, target, old)
    const putBack = async () => {
      if (!isHeld) return
      await disk.link(target, staged.path)
      await disk.rename(old, target)
      await folder.sync()
    }
    await disk.rename(staged.path, target)
    await folder.sync().catch(undone(putBack))
    // An editor that writes in place may have done so after the stamp was compared.
    const [held, stamp] = await Promise.all([
      isHeld ? disk.lstat(old).catch(() => undefined) : undefined,
      stampInPlace(place, staged.stamp),
    ])
    if (held && !isSameFile(held, expected)) {
      await putBack()
      return undefined
    }
    return stamp
  })
}

/**
 * Places a file at a free name, without making that durable; returns false and changes nothing if the name is taken.
 */
export function moveToFree({ disk }: FileRoot, from: string, to: string): Promise<boolean> {
  return withFileFailures(async () => {
    try {
      await disk.link(from, to)
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false
      if (!hasNoLinks(error)) throw error
      // A file system without hard links: the queue of the path separates our own writers.
      if (await exists(disk, to)) return false
      await disk.rename(from, to)
      return true
    }
    try {
      await disk.dropName(from)
    } catch (error) {
      await disk.dropName(to)
      throw error
    }
    return true
  })
}

/** Makes a file durable that was just moved to a free name, or moves it back. Returns its stamp. */
export function finishMove(place: Place, from: string, stamp: FileStamp): Promise<FileStamp> {
  const { root, folder, name } = place
  return withFileFailures(async () => {
    await folder.sync().catch(undone(() => root.disk.rename(folder.at(name), from)))
    return stampInPlace(place, stamp)
  })
}

/** Moves a file to a path of the daemon's own and makes that durable; a failure leaves it in place. */
export function takeAway(
  { root, folder, name }: Place,
  expected: FileStamp,
  away: { path: string; sync(): Promise<void> },
): Promise<boolean> {
  const from = folder.at(name)
  return withFileFailures(async () => {
    const now = await statOrNothing(root, from)
    if (!now || !sameStamp(now, expected)) return false
    await root.disk.rename(from, away.path)
    const putBack = () => root.disk.rename(away.path, from)
    await away.sync().catch(undone(putBack))
    await folder.sync().catch(undone(putBack))
    return true
  })
}

/** Moves a folder to a free name in another one and makes that durable; a failure leaves it where it was. */
export function moveFolder(
  { disk }: FileRoot,
  from: { folder: OpenFolder; name: string },
  to: { folder: OpenFolder; name: string },
): Promise<void> {
  const [old, target] = [from.folder.at(from.name), to.folder.at(to.name)]
  return withFileFailures(async () => {
    await disk.rename(old, target)
    const putBack = () => disk.rename(target, old)
    await to.folder.sync().catch(undone(putBack))
    await from.folder.sync().catch(undone(putBack))
  })
}

/** True when anything has this name, including a dangling link. */
export async function exists(disk: FileRoot['disk'], path: string): Promise<boolean> {
  try {
    await disk.lstat(path)
    return true
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false
    throw error
  }
}

/**
 * True when a folder has exactly this name. A disk that ignores case or normal form finds a file by other spellings of
 * its name too.
 */
export const isListed = async ({ disk }: FileRoot, folder: OpenFolder, name: string): Promise<boolean> =>
  (await disk.readdir(folder.at('.'))).includes(name)

/** Undoes a step if the next one fails, and throws the failure of the next one. */
function undone(stepBack: () => Promise<unknown>) {
  return async (error: unknown): Promise<never> => {
    await stepBack()
    throw error
  }
}

async function statOrNothing({ disk }: FileRoot, path: string): Promise<FileStamp | undefined> {
  try {
    const stat = await disk.lstat(path)
    return stat.isFile() ? stampOf(stat) : undefined
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Moving a file changes its ctime. If more has changed, somebody wrote since, and the stamp must show that. */
async function stampInPlace({ root, folder, name }: Place, stamp: FileStamp): Promise<FileStamp> {
  const now = await root.disk.lstat(folder.at(name)).catch(() => undefined)
  return now && isSameFile(now, stamp) ? stampOf(now) : otherStamp(stamp)
}
