import type { FileRoot } from '../files/file-root.ts'
import { errnoOf, ignoreMissing, noFolder, withFileFailures } from '../files/fs-failure.ts'
import { holdFile } from '../files/hold-file.ts'
import { isSameFile } from '../files/file-stamp.ts'
import { inFolder, openFolder, openOrMakeFolder, type OpenFolder } from '../files/open-folder.ts'
import { exists } from '../files/place-file.ts'
import { TMP } from '../files/stage-file.ts'
import { splitPath } from '../files/vault-path.ts'
import type { Rewrite } from './move-intent.ts'

/** Where files are changed, and the temporary folder with their old and new contents. */
export type Workshop = { root: FileRoot; tmp: OpenFolder }

/** Opens the folder for temporary files. */
export const inTmp = <T>(root: FileRoot, use: (tmp: OpenFolder) => Promise<T>): Promise<T> =>
  withFileFailures(() => inFolder(openOrMakeFolder(root, TMP), use))

/** Runs work on a file, whose path is named by its open folder. */
export function at<T>(root: FileRoot, path: string, use: (path: string, folder: OpenFolder) => Promise<T>): Promise<T> {
  const { folders, name } = splitPath(path)
  return inFolder(openFolder(root, folders), (folder) => use(folder.at(name), folder))
}

type Held = Pick<Rewrite, 'path' | 'held' | 'before'>

/** Keeps the old content of a file. Returns false if the file is no longer as planned. */
export function hold({ root, tmp }: Workshop, { path: file, held, before }: Held): Promise<boolean> {
  return at(root, file, async (path) => {
    const now = await statOf(root, path)
    if (!now || !isSameFile(now, before)) return false
    await holdFile(root, path, tmp.at(held))
    return true
  }).catch(noFolder)
}

/**
 * Puts the new content over a file whose old content is held. Returns false if somebody has written the file meanwhile.
 */
export function replace({ root, tmp }: Workshop, rewrite: Rewrite): Promise<boolean> {
  return at(root, rewrite.path, async (path) => {
    const now = await statOf(root, path)
    if (!now || !isSameFile(now, rewrite.before)) return false
    await root.disk.rename(tmp.at(rewrite.staged), path)
    return isHeldAsBefore({ root, tmp }, rewrite)
  }).catch(noFolder)
}

/**
 * True if the held content is still as planned: an editor that writes in place may have changed it at the last moment.
 */
export async function isHeldAsBefore({ root, tmp }: Workshop, { held, before }: Held): Promise<boolean> {
  const now = await statOf(root, tmp.at(held))
  return now !== undefined && (now.ino !== before.ino || isSameFile(now, before))
}

/** Puts the old content back over the new one. A file that somebody else has written since stays as it is. */
export async function putHeldBack({ root, tmp }: Workshop, rewrite: Omit<Rewrite, 'before'>): Promise<void> {
  await at(root, rewrite.path, async (path) => {
    const now = await statOf(root, path)
    if (now && isSameFile(now, rewrite.after) && (await exists(root.disk, tmp.at(rewrite.held))))
      await root.disk.rename(tmp.at(rewrite.held), path)
  }).catch(ignoreMissing)
}

/** Makes the names in the folders of some files durable. */
export async function syncFolders(root: FileRoot, paths: readonly string[]): Promise<void> {
  const folders = new Map(paths.map((path) => [splitPath(path).folders.join('/'), splitPath(path).folders]))
  for (const segments of folders.values())
    await inFolder(openFolder(root, segments), (folder) => folder.sync()).catch(ignoreMissing)
}

/** The stat of a path; undefined if nothing is there. */
export async function statOf({ disk }: FileRoot, path: string) {
  try {
    return await disk.lstat(path)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}
