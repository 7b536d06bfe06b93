import { listFolder } from './list-folder.ts'
import { join } from './folder-names.ts'
import type { Manifest } from './manifest.ts'
import { slices, type Pause } from './slices.ts'

/** Where disk and manifest differ in one folder and in the folders that are new below it. Nothing is changed yet. */
export type Differences = {
  newFolders: string[]
  goneFolders: string[]
  /** Files that are new or look different. */
  changed: string[]
  /** Files that are not there any more. */
  gone: string[]
}

/** Compares one folder with the manifest; what is in new or gone folders below it is included. */
export async function sweepFolder(
  root: string,
  manifest: Manifest,
  folder: string,
  pause: Pause = slices(),
): Promise<Differences> {
  const found: Differences = { newFolders: [], goneFolders: [], changed: [], gone: [] }
  const listing = await listFolder(root, folder, pause)
  if (!listing) {
    // The vault itself: its volume is away, or it is being moved. No file was deleted.
    if (folder === '') throw new Error('the vault is not at its place')
    found.goneFolders.push(...manifest.foldersBelow(folder).filter((path) => path !== ''))
    found.gone.push(...manifest.filesBelow(folder).map(({ path }) => path))
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
    if (manifest.hasFolder(path)) continue
    found.newFolders.push(path)
    merge(found, await sweepFolder(root, manifest, path, pause))
  }
  for (const name of manifest.children(folder)) {
    const path = join(folder, name)
    if (manifest.hasFile(path) && !listing.files.has(name)) found.gone.push(path)
    if (manifest.hasFolder(path) && !folders.has(name)) {
      found.goneFolders.push(...manifest.foldersBelow(path))
      found.gone.push(...manifest.filesBelow(path).map((file) => file.path))
    }
  }
  return found
}

/** Compares the whole vault with the manifest. */
export async function sweepVault(root: string, manifest: Manifest): Promise<Differences> {
  const all: Differences = { newFolders: [], goneFolders: [], changed: [], gone: [] }
  const gone = new Set<string>()
  const pause = slices()
  for (const folder of manifest.foldersBelow('')) {
    if (gone.has(folder)) continue
    const found = await sweepFolder(root, manifest, folder, pause)
    for (const path of found.goneFolders) gone.add(path)
    merge(all, found)
  }
  return all
}

function merge(into: Differences, from: Differences): void {
  into.newFolders.push(...from.newFolders)
  into.goneFolders.push(...from.goneFolders)
  into.changed.push(...from.changed)
  into.gone.push(...from.gone)
}
