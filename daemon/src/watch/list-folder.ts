import { lstatSync, readdirSync, type Dirent, type Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { errnoOf } from '../files/fs-failure.ts'
import { stampOf, type FileStamp } from '../files/file-stamp.ts'
import { isVisibleName } from '../files/vault-path.ts'
import { slices, type Pause } from './slices.ts'

/**
 * The content of a folder of a vault: real folders and regular files with visible names. Links and devices are left
 * out. `device` is the disk of the folder itself.
 */
export type FolderListing = { device: number; folders: string[]; files: Map<string, FileStamp> }

/**
 * Lists a folder; undefined when it does not exist. Any other failure is thrown, so that nothing is treated as deleted
 * because it could not be read.
 */
export type ListFolder = (root: string, folder: string, pause?: Pause) => Promise<FolderListing | undefined>

/** How to read the state of folders and files. */
type Look = {
  folder(path: string): Stats | Promise<Stats>
  entries(path: string, size: number): Dirent[] | Promise<Dirent[]>
  /**
   * The stamps of the files of a folder, in the order of the names; undefined for a name that is gone or is no file.
   */
  stamps(folder: string, names: readonly string[], pause: Pause): Promise<(FileStamp | undefined)[]>
}

// The size of a folder grows with its names. A folder of about a thousand names is read at once; a larger one would
// block the event loop.
const LARGE_FOLDER = 64 * 1024
// Concurrent requests to a remote disk. Node has four threads, which other vaults need too.
const AT_ONCE = 2

/** Reads on the event loop, in slices: using a thread for each file takes four times as long. */
const here: Look = {
  folder: (path) => lstatSync(path),
  entries: (path, size) =>
    size > LARGE_FOLDER ? readdir(path, { withFileTypes: true }) : readdirSync(path, { withFileTypes: true }),
  async stamps(folder, names, pause) {
    const stamps: (FileStamp | undefined)[] = []
    for (const name of names) {
      const seen = lstatSync(`${folder}/${name}`, { throwIfNoEntry: false })
      stamps.push(seen?.isFile() ? stampOf(seen) : undefined)
      await pause()
    }
    return stamps
  },
}

/** Reads in threads: a remote disk may take seconds to respond. */
const inThreads: Look = {
  folder: (path) => lstat(path),
  entries: (path) => readdir(path, { withFileTypes: true }),
  async stamps(folder, names) {
    const stamps: (FileStamp | undefined)[] = []
    for (let at = 0; at < names.length; at += AT_ONCE)
      stamps.push(...(await Promise.all(names.slice(at, at + AT_ONCE).map((name) => stampAt(joinPath(folder, name))))))
    return stamps
  },
}

/** Like `here`, but reads the names in a folder in a thread, in parallel to the event loop. */
const ahead: Look = { ...here, entries: (path) => readdir(path, { withFileTypes: true }) }

/** Starts to read the names in a folder. The returned function reads its files and returns the same as `ListFolder`. */
export type BeginListing = (root: string, folder: string) => (pause: Pause) => Promise<FolderListing | undefined>

/** Lists a folder of a local disk. */
export const listFolder = listerWith(here)

/** Lists a folder of any disk without blocking the event loop. */
export const listRemoteFolder = listerWith(inThreads)

/** Lists folders of a disk that may be a remote one. */
export const listerOf = ({ isLocal }: { isLocal: boolean }): ListFolder => (isLocal ? listFolder : listRemoteFolder)

/** Lists folders of a local disk; for listing many folders. */
export const beginListing: BeginListing = beginWith(ahead)

/** Lists folders of any disk without blocking the event loop; for listing many folders. */
export const beginRemoteListing: BeginListing = beginWith(inThreads)

function listerWith(look: Look): ListFolder {
  const begin = beginWith(look)
  return (root, folder, pause = slices()) => begin(root, folder)(pause)
}

function beginWith(look: Look): BeginListing {
  return (root, folder) => {
    const full = joinPath(root, folder)
    const reading = entriesOf(look, full)
    // The returned function reports the error.
    reading.catch(() => {})
    return async (pause) => {
      try {
        const seen = await reading
        if (!seen) return undefined
        const { folders, names } = await visibleNames(seen.entries, pause)
        const stamps = await look.stamps(full, names, pause)
        const files = new Map<string, FileStamp>()
        for (const [index, stamp] of stamps.entries()) {
          if (stamp) files.set(names[index]!, stamp)
          await pause()
        }
        return { device: seen.device, folders, files }
      } catch (error) {
        if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined
        throw error
      }
    }
  }
}

/** The visible names of folders and files. */
async function visibleNames(entries: readonly Dirent[], pause: Pause): Promise<{ folders: string[]; names: string[] }> {
  const folders: string[] = []
  const names: string[] = []
  for (const entry of entries) {
    await pause()
    if (!isVisibleName(entry.name)) continue
    if (entry.isDirectory()) folders.push(entry.name)
    else if (entry.isFile()) names.push(entry.name)
  }
  return { folders, names }
}

/**
 * The names in a folder and its disk; undefined when it is no folder. readdir alone would follow a link that has
 * replaced the folder.
 */
async function entriesOf(look: Look, full: string): Promise<{ device: number; entries: Dirent[] } | undefined> {
  const stat = await look.folder(full)
  return stat.isDirectory() ? { device: stat.dev, entries: await look.entries(full, stat.size) } : undefined
}

/** The stamp of a regular file, or undefined when there is none. */
export const stampAt = (path: string): Promise<FileStamp | undefined> => stampOfKind(path, (stat) => stat.isFile())

/** The stamp of a folder; undefined when there is none. */
export const folderStampAt = (path: string): Promise<FileStamp | undefined> =>
  stampOfKind(path, (stat) => stat.isDirectory())

async function stampOfKind(path: string, isMeant: (stat: Stats) => boolean): Promise<FileStamp | undefined> {
  try {
    const stat = await lstat(path)
    return isMeant(stat) ? stampOf(stat) : undefined
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}
