import { parseResourceUri } from '@svc/shared/wire/mcp/resource-uri.ts'

/** Addresses of files that a client follows, exactly as it gave them: it compares them with those that it is told. */
export type FollowedFiles = {
  /** Adds an address. One that names no file of a vault is accepted, and nothing is ever told of it. */
  add(uri: string): void
  /** Takes back one `add`. */
  remove(uri: string): void
  /** The addresses of a file. */
  of(file: { vaultId: string; path: string }): string[]
  /** The addresses of all files of a vault. */
  inVault(vaultId: string): string[]
}

type Counts = Map<string, number>

/**
 * New and empty. Several addresses can name one file: encoded more or less, or in another normal form. Files whose paths
 * differ only in their normal form count as one, so a client may be told of a change of the other one.
 */
export function createFollowedFiles(): FollowedFiles {
  const vaults = new Map<string, Map<string, Counts>>()
  const placeOf = (uri: string) => {
    const file = parseResourceUri(uri)
    return file && { vaultId: file.vaultId, path: file.path.normalize('NFC') }
  }

  return {
    add(uri) {
      const place = placeOf(uri)
      if (place === undefined) return
      const files = vaults.get(place.vaultId) ?? new Map<string, Counts>()
      const counts = files.get(place.path) ?? new Map<string, number>()
      vaults.set(place.vaultId, files.set(place.path, counts.set(uri, (counts.get(uri) ?? 0) + 1)))
    },
    remove(uri) {
      const place = placeOf(uri)
      const files = place && vaults.get(place.vaultId)
      const counts = files?.get(place!.path)
      const count = counts?.get(uri)
      if (place === undefined || files === undefined || counts === undefined || count === undefined) return
      if (count > 1) return void counts.set(uri, count - 1)
      counts.delete(uri)
      if (counts.size === 0) files.delete(place.path)
      if (files.size === 0) vaults.delete(place.vaultId)
    },
    of: ({ vaultId, path }) => [...(vaults.get(vaultId)?.get(path.normalize('NFC'))?.keys() ?? [])],
    inVault: (vaultId) => [...(vaults.get(vaultId)?.values() ?? [])].flatMap((counts) => [...counts.keys()]),
  }
}
