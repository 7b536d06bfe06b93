import { identityKey } from '../files/vault-path.ts'

/** The files of a vault by name, for resolving links: case and normal form do not matter. */
export class FileNames {
  // Most names are unique; a list for each would cost more than all paths.
  readonly #paths = new Map<string, string | string[]>()

  add(path: string): void {
    const key = nameKey(path)
    const known = this.#paths.get(key)
    if (known === undefined) this.#paths.set(key, path)
    else if (typeof known === 'string') {
      if (known !== path) this.#paths.set(key, [known, path])
    } else if (!known.includes(path)) known.push(path)
  }

  remove(path: string): void {
    const key = nameKey(path)
    const known = this.#paths.get(key)
    if (known === path) this.#paths.delete(key)
    else if (Array.isArray(known)) {
      const rest = known.filter((each) => each !== path)
      if (rest.length > 1) this.#paths.set(key, rest)
      else this.#paths.set(key, rest[0]!)
    }
  }

  /** The paths of the files with exactly this name. */
  named(key: string): readonly string[] {
    const known = this.#paths.get(key)
    if (known === undefined) return []
    return typeof known === 'string' ? [known] : known
  }
}

/** The comparable form of the last name of a path. */
export const nameKey = (path: string): string => identityKey(path.slice(path.lastIndexOf('/') + 1))
