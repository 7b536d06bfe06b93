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
 * Compares a few names in a folder of a local disk with the manifest; the cost does not depend on how many other names
 * the folder has. Returns undefined when the folder must be listed instead: the folder itself or one below it has
 * changed, or it cannot be read.
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
  // An event about the folder itself carries the folder's own name.
  if (names.has(basename(full))) return undefined
  // Some disks find a file by a name in another case or normal form.
  if (new Set(Array.from(names, identityKey)).size < names.size) return undefined
  // If a link has replaced the folder, the system would follow it.
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
