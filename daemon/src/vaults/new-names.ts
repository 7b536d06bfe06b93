import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { FileRoot } from '../files/file-root.ts'
import { ignoreMissing, withFileFailures } from '../files/fs-failure.ts'
import { inFolder, openFolder, type OpenFolder } from '../files/open-folder.ts'
import { exists, isListed } from '../files/place-file.ts'
import { twinFinder } from '../files/path-twins.ts'
import { identityKey, parseNewPath, splitPath, type VaultPath } from '../files/vault-path.ts'
import type { Vault } from './vault.ts'

type Names = Pick<Vault, 'files' | 'queue'>
type Place = Pick<Vault, 'files'>

/** A path that had no twin when it was checked. */
export type CheckedName = { path: string; checkedAfter: number }

/** The number of names created in each vault. */
const made = new WeakMap<Vault['queue'], number>()
const madeIn = ({ queue }: Names): number => made.get(queue) ?? 0

/** Refuses a twin before anything is written to a new path. Runs inside the queue of the path. */
export function checkName(vault: Names, path: string): Promise<CheckedName> {
  return inOrder(vault, async () => {
    await refuseTwin(vault.files, path)
    return { path, checkedAfter: madeIn(vault) }
  })
}

/**
 * Creates a new name. Names are created one at a time, so that two of them cannot become twins. The folder, which may
 * be large, is read again only if another name was created since the check.
 */
export function makeName<T>(vault: Names, { path, checkedAfter }: CheckedName, make: () => Promise<T>): Promise<T> {
  return inOrder(vault, async () => {
    if (madeIn(vault) !== checkedAfter) await refuseTwin(vault.files, path)
    made.set(vault.queue, madeIn(vault) + 1)
    return make()
  })
}

const inOrder = <T>({ queue }: Names, work: () => Promise<T>): Promise<T> => queue.run('/new', work)

/**
 * Refuses a new path whose first missing name differs from a neighbour only in case or normal form: on another file
 * system the two would be one file, and one would overwrite the other. `except` is a file that is about to be renamed.
 */
export async function refuseTwin(root: FileRoot, path: string, { except }: { except?: string } = {}): Promise<void> {
  const segments = path.split('/')
  const last = segments.length - 1

  async function refuseIn(folder: OpenFolder, depth: number): Promise<void> {
    const segment = segments[depth]!
    const names = await withFileFailures(() => root.disk.readdir(folder.at('.')))
    if (names.includes(segment)) return
    const pathOf = (name: string) => [...segments.slice(0, depth), name].join('/')
    const isTwin = twinFinder(identityKey(segment))
    const twin = names.find((name) => isTwin(name) && !(depth === last && pathOf(name) === except))
    if (twin !== undefined) throw fail('path_conflict', { existing: pathOf(twin) })
  }

  // Most new names are created in an existing folder.
  const parent = await openFolder(root, segments.slice(0, last)).catch(ignoreMissing)
  if (parent) return inFolder(Promise.resolve(parent), (folder) => refuseIn(folder, last))

  for (const [depth, segment] of segments.entries()) {
    const isThere = await inFolder(openFolder(root, segments.slice(0, depth)), async (folder) => {
      if (await withFileFailures(() => exists(root.disk, folder.at(segment)))) return true
      await refuseIn(folder, depth)
      return false
    })
    if (!isThere) return
  }
}

/**
 * The path of a new file, with its name in normal form C. Folders keep their names as another program wrote them,
 * whichever form the caller uses. Throws `invalid_request` if the path is not allowed for a new file.
 */
export async function newFilePath(vault: Place, asked: string): Promise<VaultPath> {
  const { name } = splitPath(parseNewPath(asked))
  return [...(await foldersOnDisk(vault, splitPath(asked).folders)), name].join('/') as VaultPath
}

/** The path of a folder, which may exist already. Throws as `newFilePath` does. */
export async function newFolderPath(vault: Place, asked: string): Promise<VaultPath> {
  parseNewPath(asked)
  return (await foldersOnDisk(vault, asked.split('/'))).join('/') as VaultPath
}

/**
 * The path on disk of a requested folder, which may be in another normal form; of the folders above it, if it is not
 * there itself.
 */
export async function folderOnDisk(vault: Place, asked: string): Promise<VaultPath> {
  const path: string[] = []
  for (const name of asked.split('/')) {
    const forms = [...new Set([name, name.normalize('NFC'), name.normalize('NFD')])]
    path.push((forms.length > 1 ? await firstFolder(vault, path, forms) : undefined) ?? name)
  }
  return path.join('/') as VaultPath
}

async function foldersOnDisk(vault: Place, asked: readonly string[]): Promise<string[]> {
  const path: string[] = []
  for (const name of asked) {
    const composed = name.normalize('NFC')
    const others = [name, name.normalize('NFD')].filter((other) => other !== composed)
    const found = others.length > 0 ? await firstFolder(vault, path, [composed, ...others]) : undefined
    path.push(found ?? composed)
  }
  return path
}

/** The first of these names that is a folder. A disk that ignores the normal form opens it by the other names too. */
async function firstFolder(vault: Place, parent: string[], names: string[]): Promise<string | undefined> {
  for (const name of names) if (await isFolder(vault, parent, name)) return name
  return undefined
}

const isFolder = ({ files }: Place, parent: string[], name: string): Promise<boolean> =>
  inFolder(openFolder(files, [...parent, name]), () =>
    inFolder(openFolder(files, parent), (folder) => withFileFailures(() => isListed(files, folder, name))),
  ).catch((error: unknown) => {
    if (isFailure(error, 'not_found') || isFailure(error, 'invalid_request')) return false
    throw error
  })
