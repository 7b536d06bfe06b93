import { FOLDERS_FILE } from '../journal/move-intent.ts'
import { pathProblem } from '../files/vault-path.ts'
import { stampAt, type ListFolder } from '../watch/list-folder.ts'
import { join } from '../watch/folder-names.ts'
import type { Manifest } from '../watch/manifest.ts'
import { pathsOf } from '../watch/remembered.ts'
import { slices } from '../watch/slices.ts'
import { join as joinPath } from 'node:path'

/** An entry of a vault's archive. Folders are entries only if they are empty. */
export type VaultEntry = { kind: 'file' | 'empty_folder'; path: string }

/**
 * The files of a vault as they are on disk now, folder by folder: what the vault shows, and the settings of its
 * folders. Identity, trash and other hidden files are not included.
 */
export async function* vaultFiles(root: string, list: ListFolder): AsyncGenerator<VaultEntry> {
  if (await stampAt(joinPath(root, FOLDERS_FILE))) yield { kind: 'file', path: FOLDERS_FILE }
  yield* filesIn({ root, list }, '')
}

type Walk = { root: string; list: ListFolder }

async function* filesIn(walk: Walk, folder: string): AsyncGenerator<VaultEntry> {
  const listing = await walk.list(walk.root, folder)
  if (!listing) return
  const { files, folders } = listing
  if (files.size === 0 && folders.length === 0 && folder !== '') yield { kind: 'empty_folder', path: folder }
  for (const name of [...files.keys()].toSorted())
    if (isNameable(name)) yield { kind: 'file', path: join(folder, name) }
  for (const name of folders.toSorted()) if (isNameable(name)) yield* filesIn(walk, join(folder, name))
}

/** How many of the files that a vault shows no archive has, because of their names. */
export async function countLeftOut(manifest: Pick<Manifest, 'asOfNow'>): Promise<number> {
  const pause = slices()
  let count = 0
  for (const path of pathsOf(manifest.asOfNow())) {
    if (!path.split('/').every(isNameable)) count++
    await pause()
  }
  return count
}

/** False for a name that is not valid text or that the vault never serves: it could not be restored from an archive. */
const isNameable = (name: string): boolean => pathProblem(name) === undefined && !name.includes('\uFFFD')
