import { lstatSync, readdirSync, type Dirent, type Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { errnoOf } from '../files/fs-failure.ts'
import { stampOf, type FileStamp } from '../files/file-stamp.ts'
import { isVisibleName } from '../files/vault-path.ts'
import { slices, type Pause } from './slices.ts'

/**
 * What lies in a folder of a vault: real folders and regular files with visible names. Links and devices are left out.
 * `device` is the disk of the folder itself.
 */
export type FolderListing = { device: number; folders: string[]; files: Map<string, FileStamp> }

/**
 * Lists a folder; undefined when it is not there. Every other failure is thrown, so that nothing is taken for deleted
 * because it could not be read.
 */
export type ListFolder = (root: string, folder: string, pause?: Pause) => Promise<FolderListing | undefined>

/** How folders and files are looked at. */
type Look = {
  folder(path: string): Stats | Promise<Stats>
  entries(path: string, size: number): Dirent[] | Promise<Dirent[]>
  /** The stamps of the files of a folder, in the order of the names; undefined for those that are gone or no files. */
  stamps(folder: string, names: readonly string[], pause: Pause): Promise<(FileStamp | undefined)[]>
}

// The size of a folder grows with its names. One of about a thousand is read at once; more would hold the event loop.
const LARGE_FOLDER = 64 * 1024
// Requests to a remote disk that wait beside each other: Node has four threads, which other vaults need too.
const AT_ONCE = 2

/** Looks on the event loop, in slices: asking a thread for each file takes four times as long. */
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

/** Looks from threads: a disk of another machine may take seconds to answer. */
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

/** As `here`, but the names in a folder are read in a thread, beside what the event loop does. */
const ahead: Look = { ...here, entries: (path) => readdir(path, { withFileTypes: true }) }

/** Begins to read the names in a folder. The returned function looks at its files and lists it as `ListFolder` does. */
export type BeginListing = (root: string, folder: string) => (pause: Pause) => Promise<FolderListing | undefined>

/** Lists a folder of a disk of this machine. */
export const listFolder = listerWith(here)

/** Lists a folder of any disk without ever waiting for it on the event loop. */
export const listRemoteFolder = listerWith(inThreads)

/** Lists folders of a disk of this machine, of which several are wanted. */
export const beginListing: BeginListing = beginWith(ahead)

/** Lists folders of any disk, of which several are wanted, without ever waiting for it on the event loop. */
export const beginRemoteListing: BeginListing = beginWith(inThreads)

function listerWith(look: Look): ListFolder {
  const begin = beginWith(look)
  return (root, folder, pause = slices()) => begin(root, folder)(pause)
}

function beginWith(look: Look): BeginListing {
  return (root, folder) => {
    const full = joinPath(root, folder)
    const reading = entriesOf(look, full)
    // Whoever lists the folder hears of it.
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

/** The names of folders and of files that are visible. */
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

/** The names in a folder and its disk; undefined when it is none. readdir would follow a link that has taken its place. */
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
