import { lstatSync, readdirSync, type Dirent, type Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { errnoOf } from '../files/fs-failure.ts'
import { stampOf, type FileStamp } from '../files/open-file.ts'
import { isVisibleName } from '../files/vault-path.ts'
import { slices, type Pause } from './slices.ts'

/** What lies in a folder of a vault: real folders and regular files with visible names. Links and devices are left out. */
export type FolderListing = { folders: string[]; files: Map<string, FileStamp> }

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
      const seen = lstatSync(joinPath(folder, name), { throwIfNoEntry: false })
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

/** Lists a folder of a disk of this machine. */
export const listFolder = listerWith(here)

/** Lists a folder of any disk without ever waiting for it on the event loop. */
export const listRemoteFolder = listerWith(inThreads)

function listerWith(look: Look): ListFolder {
  return async (root, folder, pause = slices()) => {
    const full = joinPath(root, folder)
    try {
      // readdir would follow a link that has taken the place of the folder.
      const stat = await look.folder(full)
      if (!stat.isDirectory()) return undefined
      const entries = (await look.entries(full, stat.size)).filter(({ name }) => isVisibleName(name))
      const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
      const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
      const stamps = await look.stamps(full, names, pause)
      const files = new Map<string, FileStamp>()
      for (const [index, stamp] of stamps.entries()) if (stamp) files.set(names[index]!, stamp)
      return { folders, files }
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined
      throw error
    }
  }
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
