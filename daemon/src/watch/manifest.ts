import type { FileStamp } from '../files/open-file.ts'
import type { FileFacts } from '../markdown/note-facts.ts'

/** A file as last seen. Without facts its content has not been looked at yet. */
export type KnownFile = { path: string; stamp: FileStamp; facts: FileFacts | undefined }

/** What the daemon knows of the files of a vault. Paths are as on disk; hidden ones are never in it. */
export class Manifest {
  readonly #files = new Map<string, KnownFile>()
  readonly #folders = new Map<string, Set<string>>([['', new Set()]])
  // Only for names that are not in normal form C, since everybody asks by that form.
  readonly #byNormalForm = new Map<string, string>()

  file(path: string): KnownFile | undefined {
    return this.#files.get(path)
  }

  hasFolder(path: string): boolean {
    return this.#folders.has(path)
  }

  /** All files as of now: a copy, since looking at one may change what is known. */
  files(): KnownFile[] {
    return Array.from(this.#files.values())
  }

  count(): number {
    return this.#files.size
  }

  /** Names in a folder, as of now; a name is a folder when `hasFolder` says so of its path. */
  children(folder: string): string[] {
    return Array.from(this.#folders.get(folder) ?? [])
  }

  /** The path on disk for a path as asked. */
  onDisk(path: string): string {
    return this.#files.has(path) ? path : (this.#byNormalForm.get(path.normalize('NFC')) ?? path)
  }

  putFile(file: KnownFile): void {
    this.#files.set(file.path, file)
    this.#adopt(file.path)
    const normal = file.path.normalize('NFC')
    if (normal !== file.path) this.#byNormalForm.set(normal, file.path)
  }

  putFolder(path: string): void {
    if (this.#folders.has(path)) return
    this.#folders.set(path, new Set())
    this.#adopt(path)
  }

  removeFile(path: string): void {
    if (!this.#files.delete(path)) return
    this.#disown(path)
    const normal = path.normalize('NFC')
    if (this.#byNormalForm.get(normal) === path) this.#byNormalForm.delete(normal)
  }

  removeFolder(path: string): void {
    if (path === '' || !this.#folders.delete(path)) return
    this.#disown(path)
  }

  /** All files below a folder. */
  filesBelow(folder: string): KnownFile[] {
    return this.foldersBelow(folder).flatMap((each) =>
      this.children(each)
        .map((name) => this.#files.get(join(each, name)))
        .filter((file) => file !== undefined),
    )
  }

  /** A folder and all below it, each before its own sub-folders. */
  foldersBelow(folder: string): string[] {
    if (!this.#folders.has(folder)) return []
    const below = Array.from(this.children(folder), (name) => join(folder, name)).filter((path) =>
      this.#folders.has(path),
    )
    return [folder, ...below.flatMap((path) => this.foldersBelow(path))]
  }

  #adopt(path: string): void {
    const parent = parentOf(path)
    this.putFolder(parent)
    this.#folders.get(parent)?.add(nameOf(path))
  }

  #disown(path: string): void {
    if (!this.#files.has(path) && !this.#folders.has(path)) this.#folders.get(parentOf(path))?.delete(nameOf(path))
  }
}

/** The path of a name in a folder; the root is the empty path. */
export const join = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
