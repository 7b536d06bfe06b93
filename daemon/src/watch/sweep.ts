import type { AwayFolders } from './away-folders.ts'
import type { FolderListing, ListFolder } from './list-folder.ts'
import { join } from './folder-names.ts'
import type { Manifest } from './manifest.ts'
import { slices, type Pause } from './slices.ts'

/** Where disk and manifest differ in one folder and in the folders that are new below it. Nothing is changed yet. */
export type Differences = {
  newFolders: string[]
  goneFolders: string[]
  /** Files that are new or look different. */
  changed: string[]
  /** Files that are no longer there. */
  gone: string[]
}

/** True when some of the differences may be the two halves of a rename. */
export const mayRename = ({ changed, gone }: Differences): boolean => changed.length > 0 && gone.length > 0

/** The inputs of a sweep. `list` lists folders in the way that suits their disk. */
export type Compared = {
  root: string
  manifest: Manifest
  list: ListFolder
  away: Pick<AwayFolders, 'all' | 'isAway' | 'above'>
  /**
   * Called before a folder is listed, so that its changes from then on are reported. Returns true when the folder has
   * taken the place of another one: then nobody has reported how the folders below differ.
   */
  watch(folder: string): boolean
  /** A folder below the root cannot be read; what is known of it is kept. */
  onUnreadable(folder: string, error: unknown): void
}

/** Compares one folder with the manifest, including the content of new, replaced or removed folders below it. */
export async function sweepFolder(compared: Compared, folder: string, pause: Pause = slices()): Promise<Differences> {
  const { root, manifest, list, away } = compared
  const found: Differences = { newFolders: [], goneFolders: [], changed: [], gone: [] }
  let listing: FolderListing | undefined
  let isReplaced = false
  try {
    const above = await away.above(folder)
    if (above !== undefined) return await sweepFolder(compared, above, pause)
    isReplaced = compared.watch(folder)
    listing = await list(root, folder, pause)
    if (listing && (await away.isAway(folder, listing, manifest.children(folder)))) return found
  } catch (error) {
    if (folder === '') throw error
    compared.onUnreadable(folder, error)
    return found
  }
  if (!listing) {
    // The vault itself is missing: its volume is away, or it is being moved. No file was deleted.
    if (folder === '') throw new Error('the vault is not at its place')
    await addAllBelow(found, { manifest, folder, pause })
    return found
  }

  for (const [name, stamp] of listing.files) {
    const path = join(folder, name)
    if (!manifest.isAsKnown(path, stamp)) found.changed.push(path)
    await pause()
  }
  const folders = new Set(listing.folders)
  for (const name of folders) {
    const path = join(folder, name)
    const isNew = !manifest.hasFolder(path)
    if (isNew) found.newFolders.push(path)
    if (isNew || isReplaced) merge(found, await sweepFolder(compared, path, pause))
  }
  for (const name of manifest.children(folder)) {
    const path = join(folder, name)
    if (!listing.files.has(name) && manifest.hasFile(path)) found.gone.push(path)
    if (!folders.has(name) && manifest.hasFolder(path)) await addAllBelow(found, { manifest, folder: path, pause })
    await pause()
  }
  return found
}

/** Compares the whole vault with the manifest. */
export async function sweepVault(compared: Compared, pause: Pause = slices()): Promise<Differences> {
  const all: Differences = { newFolders: [], goneFolders: [], changed: [], gone: [] }
  const gone = new Set<string>()
  const each: Compared = {
    ...compared,
    // Says that no folder was replaced: every known one is looked at anyway.
    watch(folder) {
      compared.watch(folder)
      return false
    },
  }
  for (const folder of compared.manifest.foldersBelow('')) {
    if (gone.has(folder) || compared.away.all().some((away) => folder.startsWith(`${away}/`))) continue
    const found = await sweepFolder(each, folder, pause)
    for (const path of found.goneFolders) gone.add(path)
    merge(all, found)
  }
  return all
}

type Below = { manifest: Manifest; folder: string; pause: Pause }

/** Adds a removed folder with all its content. */
async function addAllBelow(found: Differences, { manifest, folder, pause }: Below): Promise<void> {
  for (const path of manifest.foldersBelow(folder)) {
    found.goneFolders.push(path)
    for (const name of manifest.children(path)) {
      const child = join(path, name)
      if (manifest.hasFile(child)) found.gone.push(child)
      await pause()
    }
  }
}

/** Adds differences one by one: as arguments of one call, those of a large vault would overflow the stack. */
export function merge(into: Differences, from: Differences): void {
  for (const key of ['newFolders', 'goneFolders', 'changed', 'gone'] as const)
    for (const path of from[key]) into[key].push(path)
}

/** Paths without duplicates: a vault may change while it is compared. */
export async function eachOnce(paths: readonly string[], pause: Pause): Promise<Set<string>> {
  const once = new Set<string>()
  for (const path of paths) {
    once.add(path)
    await pause()
  }
  return once
}
