import { lstat, readdir } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { errnoOf } from '../files/fs-failure.ts'
import { stampOf, type FileStamp } from '../files/open-file.ts'
import { isVisibleName } from '../files/vault-path.ts'

/** What lies in a folder of a vault: real folders and regular files with visible names. Links and devices are left out. */
export type FolderListing = { folders: string[]; files: Map<string, FileStamp> }

const AT_ONCE = 64

/**
 * Lists a folder; undefined when it is not there. Every other failure is thrown, so that nothing is taken for deleted
 * because it could not be read.
 */
export async function listFolder(root: string, folder: string): Promise<FolderListing | undefined> {
  const full = joinPath(root, folder)
  try {
    // readdir would follow a link that has taken the place of the folder.
    if (!(await lstat(full)).isDirectory()) return undefined
    const entries = await readdir(full, { withFileTypes: true })
    const visible = entries.filter(({ name }) => isVisibleName(name))
    const listing: FolderListing = {
      folders: visible.filter((entry) => entry.isDirectory()).map(({ name }) => name),
      files: new Map(),
    }
    const names = visible.filter((entry) => entry.isFile()).map(({ name }) => name)
    for (let from = 0; from < names.length; from += AT_ONCE)
      await Promise.all(
        names.slice(from, from + AT_ONCE).map(async (name) => {
          const stamp = await stampAt(joinPath(full, name))
          if (stamp) listing.files.set(name, stamp)
        }),
      )
    return listing
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/** The stamp of a regular file, or undefined when there is none. */
export async function stampAt(path: string): Promise<FileStamp | undefined> {
  try {
    const stat = await lstat(path)
    return stat.isFile() ? stampOf(stat) : undefined
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}
