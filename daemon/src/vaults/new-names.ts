import { fail } from '@svc/shared/wire/errors.ts'
import type { FileRoot } from '../files/file-root.ts'
import { ignoreMissing, withFileFailures } from '../files/fs-failure.ts'
import { inFolder, openFolder, type OpenFolder } from '../files/open-folder.ts'
import { exists } from '../files/place-file.ts'
import { twinFinder } from '../files/path-twins.ts'
import { identityKey } from '../files/vault-path.ts'
import type { Vault } from './vault.ts'

type Names = Pick<Vault, 'files' | 'queue'>

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
    const twin = names.includes(segment) ? undefined : names.find(twinFinder(identityKey(segment)))
    const existing = [...segments.slice(0, depth), twin].join('/')
    const isRenamed = existing === except && depth === last
    if (twin !== undefined && !isRenamed) throw fail('path_conflict', { existing })
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
