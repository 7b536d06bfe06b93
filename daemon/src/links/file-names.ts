import { identityKey } from '../files/path-twins.ts'

/** A file by name, with what is compared for each link that may mean it: thousands of files may have one name. */
export type NamedFile = { path: string; key: string; depth: number }

/** The files of a vault by name, for resolving links: case and normal form do not matter. */
export class FileNames {
  // Most names are unique; a list for each would cost more than all paths.
  readonly #files = new Map<string, string | Map<string, NamedFile>>()

  add(path: string): void {
    const key = nameKey(path)
    const known = this.#files.get(key)
    if (known === undefined) this.#files.set(key, path)
    else if (typeof known !== 'string') known.set(path, namedFile(path))
    else if (known !== path) this.#files.set(key, new Map([known, path].map((each) => [each, namedFile(each)])))
  }

  remove(path: string): void {
    const key = nameKey(path)
    const known = this.#files.get(key)
    if (known === path) this.#files.delete(key)
    else if (typeof known === 'object' && known.delete(path) && known.size === 1)
      for (const last of known.keys()) this.#files.set(key, last)
  }

  /** The files with exactly this name. */
  named(key: string): Iterable<NamedFile> {
    const known = this.#files.get(key)
    if (known === undefined) return []
    return typeof known === 'string' ? [namedFile(known)] : known.values()
  }
}

/** A path with its comparable form and the number of its segments. */
export const namedFile = (path: string): NamedFile => ({
  path,
  key: identityKey(path),
  depth: path.split('/').length,
})

/** The comparable form of the last name of a path. */
export const nameKey = (path: string): string => identityKey(path.slice(path.lastIndexOf('/') + 1))
