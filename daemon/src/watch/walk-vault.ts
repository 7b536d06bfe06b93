import { lstatSync, readdirSync, type Dirent } from 'node:fs'
import { join as joinPath } from 'node:path'
import { errnoOf } from '../files/fs-failure.ts'
import { stampOf, type FileStamp } from '../files/file-stamp.ts'
import { isVisibleName } from '../files/vault-path.ts'
import { join } from './folder-names.ts'
import { numbersInOrder, type RememberedFiles } from './remembered.ts'

/** The result of a walk through a vault, compared with what is remembered of it. */
export type WalkedVault = {
  /** The disk of the vault. */
  device: number
  /** By number of the remembered file: 1 when the file is on disk as it is remembered. */
  isThere: Uint8Array
  /** The paths of files that are there as well but not in normal form C, listed separately for that reason. */
  notNormal: string[]
  /** Files that are not remembered, or look different. */
  others: { path: string; stamp: FileStamp }[]
  /** The folders that the walk has read. */
  folders: string[]
  /**
   * Folders that were not read, nor anything below them: nothing is remembered of them, they are on another disk, or
   * they are unreadable.
   */
  left: string[]
}

// The daemon takes these over all at once, which must not block it for long.
const MOST_OTHERS = 5000

/** The folders in which something is remembered, each after its parent. */
export function rememberedFolders(files: RememberedFiles): string[] {
  const folders = new Set([''])
  let before = ''
  for (let number = 0; number < files.count; number++) {
    const path = files.path(number)
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    if (folder === before) continue
    before = folder
    for (let slash = folder.indexOf('/'); slash !== -1; slash = folder.indexOf('/', slash + 1))
      folders.add(folder.slice(0, slash))
    folders.add(folder)
  }
  return [...folders]
}

type Walking = {
  root: string
  files: RememberedFiles
  /** Injected so that a test can make it fail. */
  read?: (full: string) => Dirent[]
}

/**
 * Walks the folders in which something is remembered; undefined when too much has changed to be passed on. Synchronous,
 * so only a separate process may use it. Links are not followed.
 */
export function walkVault({ root, files, read = readEntries }: Walking): WalkedVault | undefined {
  const known = new Set(rememberedFolders(files))
  const numberOf = numbersInOrder(files)
  const found: WalkedVault = {
    device: lstatSync(root).dev,
    isThere: new Uint8Array(files.count),
    notNormal: [],
    others: [],
    folders: [],
    left: [],
  }
  const waiting = ['']
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const listing = listFolder(joinPath(root, folder), { device: found.device, read })
    if (listing === 'gone' && folder === '') throw new Error('the vault is not at its place')
    if (listing === 'gone') continue
    if (listing === 'left') {
      found.left.push(folder)
      continue
    }
    found.folders.push(folder)
    for (const { name, stamp } of listing.files) {
      const path = join(folder, name)
      const number = numberOf(path)
      if (number === -1 || !files.hasStamp(number, stamp)) found.others.push({ path, stamp })
      else if (path.normalize('NFC') !== path) found.notNormal.push(path)
      else found.isThere[number] = 1
    }
    if (found.others.length > MOST_OTHERS) return undefined
    for (const name of listing.folders.toReversed()) {
      const path = join(folder, name)
      if (known.has(path)) waiting.push(path)
      else found.left.push(path)
    }
  }
  return found
}

type Listing = { folders: string[]; files: { name: string; stamp: FileStamp }[] }

const readEntries = (full: string): Dirent[] => readdirSync(full, { withFileTypes: true })

type Looking = { device: number; read(full: string): Dirent[] }

function listFolder(full: string, { device, read }: Looking): Listing | 'gone' | 'left' {
  try {
    const stat = lstatSync(full)
    if (!stat.isDirectory()) return 'gone'
    if (stat.dev !== device) return 'left'
    const visible = read(full).filter(({ name }) => isVisibleName(name))
    const files: Listing['files'] = []
    for (const name of namesOf(visible, (entry) => entry.isFile())) {
      const seen = lstatSync(`${full}/${name}`, { throwIfNoEntry: false })
      if (seen?.isFile() === true) files.push({ name, stamp: stampOf(seen) })
    }
    return { folders: namesOf(visible, (entry) => entry.isDirectory()), files }
  } catch (error) {
    return errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR' ? 'gone' : 'left'
  }
}

const namesOf = (entries: readonly Dirent[], isMeant: (entry: Dirent) => boolean): string[] =>
  entries
    .filter(isMeant)
    .map(({ name }) => name)
    .sort()
