import type { Pause } from './slices.ts'

type Folder = { folders: Set<string> | undefined; files: Set<string> | undefined }

/** The folders of a vault, and the names of some of their files. */
export class FolderNames {
  readonly #folders = new Map<string, Folder>([['', emptyFolder()]])

  has(folder: string): boolean {
    return this.#folders.has(folder)
  }

  foldersIn(folder: string): string[] {
    return Array.from(this.#folders.get(folder)?.folders ?? [])
  }

  filesIn(folder: string): string[] {
    return Array.from(this.#folders.get(folder)?.files ?? [])
  }

  /** A folder and all folders below it, each before its own sub-folders. */
  below(folder: string): string[] {
    const all: string[] = []
    const visit = (path: string) => {
      if (!this.#folders.has(path)) return
      all.push(path)
      for (const name of this.foldersIn(path)) visit(join(path, name))
    }
    visit(folder)
    return all
  }

  addFolder(path: string): void {
    if (this.#folders.has(path)) return
    this.#folders.set(path, emptyFolder())
    const parent = parentOf(path)
    this.addFolder(parent)
    const entry = this.#folders.get(parent)!
    entry.folders ??= new Set()
    entry.folders.add(nameOf(path))
  }

  removeFolder(path: string): void {
    if (path === '' || !this.#folders.delete(path)) return
    this.#folders.get(parentOf(path))?.folders?.delete(nameOf(path))
  }

  addFile(path: string): void {
    const parent = parentOf(path)
    this.addFolder(parent)
    const entry = this.#folders.get(parent)!
    entry.files ??= new Set()
    entry.files.add(nameOf(path))
  }

  removeFile(path: string): void {
    const entry = this.#folders.get(parentOf(path))
    entry?.files?.delete(nameOf(path))
    if (entry?.files?.size === 0) entry.files = undefined
  }

  /** Replaces the names of all files by these. A folder that was removed stays removed. */
  setFiles(byFolder: ReadonlyMap<string, Set<string>>): void {
    for (const folder of this.#folders.values()) folder.files = undefined
    for (const [path, files] of byFolder) {
      const folder = this.#folders.get(path)
      if (folder) folder.files = files
    }
  }
}

/** The names of files by folder, collected in slices. */
export async function namesByFolder(paths: Iterable<string>, pause: Pause): Promise<Map<string, Set<string>>> {
  const byFolder = new Map<string, Set<string>>()
  for (const path of paths) {
    addName(byFolder, path)
    await pause()
  }
  return byFolder
}

/** Adds a file to names by folder. */
export function addName(byFolder: Map<string, Set<string>>, path: string): void {
  const names = byFolder.get(parentOf(path))
  if (names) names.add(nameOf(path))
  else byFolder.set(parentOf(path), new Set([nameOf(path)]))
}

/** Removes a file from names by folder. */
export function dropName(byFolder: Map<string, Set<string>>, path: string): void {
  const names = byFolder.get(parentOf(path))
  if (names?.delete(nameOf(path)) && names.size === 0) byFolder.delete(parentOf(path))
}

/** The path of a name in a folder; the root is the empty path. */
export const join = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)

const emptyFolder = (): Folder => ({ folders: undefined, files: undefined })
const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
