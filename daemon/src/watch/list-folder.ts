import { lstatSync, readdirSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { errnoOf } from '../files/fs-failure.ts'
import { stampOf, type FileStamp } from '../files/open-file.ts'
import { isVisibleName } from '../files/vault-path.ts'
import { slices, type Pause } from './slices.ts'

/** What lies in a folder of a vault: real folders and regular files with visible names. Links and devices are left out. */
export type FolderListing = { folders: string[]; files: Map<string, FileStamp> }

// The size of a folder grows with its names. One of about a thousand is read at once; more would hold the event loop.
const LARGE_FOLDER = 64 * 1024

/**
 * Lists a folder; undefined when it is not there. Every other failure is thrown, so that nothing is taken for deleted
 * because it could not be read. Files are looked at on the event loop, in slices: asking a thread for each takes four
 * times as long.
 */
export async function listFolder(
  root: string,
  folder: string,
  pause: Pause = slices(),
): Promise<FolderListing | undefined> {
  const full = joinPath(root, folder)
  try {
    // readdir would follow a link that has taken the place of the folder.
    const stat = lstatSync(full)
    if (!stat.isDirectory()) return undefined
    const entries =
      stat.size > LARGE_FOLDER
        ? await readdir(full, { withFileTypes: true })
        : readdirSync(full, { withFileTypes: true })
    const listing: FolderListing = { folders: [], files: new Map() }
    for (const entry of entries) {
      if (!isVisibleName(entry.name)) continue
      if (entry.isDirectory()) listing.folders.push(entry.name)
      if (!entry.isFile()) continue
      const seen = lstatSync(joinPath(full, entry.name), { throwIfNoEntry: false })
      if (seen?.isFile()) listing.files.set(entry.name, stampOf(seen))
      await pause()
    }
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
