import { lstatSync, type Stats } from 'node:fs'
import { basename, join as joinPath } from 'node:path'
import { stampOf } from '../files/file-stamp.ts'
import { identityKey, isVisibleName } from '../files/vault-path.ts'
import { join } from './folder-names.ts'
import type { Manifest } from './manifest.ts'
import type { Differences } from './sweep.ts'

type Named = {
  root: string
  manifest: Pick<Manifest, 'hasFolder' | 'hasFile' | 'isAsKnown'>
  folder: string
  names: ReadonlySet<string>
}

/**
 * Compares a few names in a folder of a disk of this machine with the manifest, however many other names the folder has.
 * Returns undefined when the folder must be listed instead: something happened to the folder itself or to one below it, or
 * it cannot be looked at.
 */
export function sweepNames(named: Named): Differences | undefined {
  try {
    return compareNames(named)
  } catch {
    return undefined
  }
}

function compareNames({ root, manifest, folder, names }: Named): Differences | undefined {
  const full = joinPath(root, folder)
  const found: Differences = { newFolders: [], goneFolders: [], changed: [], gone: [] }
  // An event of the folder itself has its own name.
  if (names.has(basename(full))) return undefined
  // Some disks find a file by a name in another case or normal form.
  if (new Set(Array.from(names, identityKey)).size < names.size) return undefined
  // A link in the place of the folder would be followed.
  if (seenAt(full)?.isDirectory() !== true) return undefined
  for (const name of names) {
    if (!isVisibleName(name)) continue
    const path = join(folder, name)
    const seen = seenAt(joinPath(full, name))
    if (seen?.isDirectory() === true || manifest.hasFolder(path)) return undefined
    if (seen?.isFile() !== true) {
      if (manifest.hasFile(path)) found.gone.push(path)
    } else if (!manifest.isAsKnown(path, stampOf(seen))) found.changed.push(path)
  }
  return found
}

const seenAt = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })
