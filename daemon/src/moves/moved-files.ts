import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { withFileFailures } from '../files/fs-failure.ts'
import { stampOf, type FileStamp } from '../files/file-stamp.ts'
import { inFolder, openFolder } from '../files/open-folder.ts'
import { exists, isListed } from '../files/place-file.ts'
import { identityKey, isMarkdownName, newLengthProblem, splitPath, type VaultPath } from '../files/vault-path.ts'
import { withFieldNames } from '../http/field-names.ts'
import { folderOnDisk, newFilePath, refuseTwin } from '../vaults/new-names.ts'
import type { Vault } from '../vaults/vault.ts'
import { slices } from '../watch/slices.ts'
import type { MovedFiles } from './moved-names.ts'

/** What is at the old path of a move. */
export type MoveSource = { path: string; kind: 'note' | 'attachment' | 'folder'; stamp: FileStamp }

/**
 * Finds what is to be moved, and reads a file with the name of a note again by one of the rechecks of the vault: after
 * that, its kind is known.
 */
export async function readSource(vault: Vault, asked: VaultPath, recheck: Vault['recheck']): Promise<void> {
  const { path, kind } = await moveSource(vault, asked)
  if (kind !== 'folder' && isMarkdownName(path)) await recheck(path)
}

/** Finds what is to be moved, or fails with `not_found`. Call `readSource` before. */
export async function moveSource(vault: Vault, asked: VaultPath): Promise<MoveSource> {
  await vault.listed
  const file = vault.manifest.onDisk(asked)
  const path = vault.manifest.hasFile(file) ? file : await folderOnDisk(vault, asked)
  await vault.files.mounted.refuseAwayBelow(path)
  const { folders, name } = splitPath(path)
  const stat = await inFolder(openFolder(vault.files, folders), (folder) =>
    withFileFailures(() => vault.files.disk.lstat(folder.at(name))),
  ).catch((error: unknown) => {
    throw isFailure(error, 'invalid_request') ? fail('not_found') : error
  })
  if (stat.isDirectory()) return { path, kind: 'folder', stamp: stampOf(stat) }
  if (!stat.isFile()) throw fail('not_found')
  return { path, kind: vault.manifest.file(path)?.facts?.kind ?? 'attachment', stamp: stampOf(stat) }
}

/** Checks that something can be moved to a path, and returns that path as on disk. */
export const moveTarget = (vault: Vault, source: MoveSource, asked: string): Promise<VaultPath> =>
  withFieldNames({ path: 'to' }, () => targetOf(vault, source, asked))

async function targetOf(vault: Vault, source: MoveSource, asked: string): Promise<VaultPath> {
  const to = await newFilePath(vault, asked)
  const refuse = (message: string) => fail('invalid_request', [{ path: 'to', message }])
  if (to === source.path) throw refuse('is already its path')
  if (source.kind === 'folder' && to.startsWith(`${source.path}/`)) throw refuse('is inside the folder that is moved')
  if (source.kind === 'note' && !isMarkdownName(to)) throw refuse('must end in .md: a note stays a note')

  await refuseTwin(vault.files, to, { except: source.path })
  if (await isTaken(vault, source, to)) throw fail('note_exists', { path: to })
  return to
}

async function isTaken({ files }: Vault, source: MoveSource, path: string): Promise<boolean> {
  const { folders, name } = splitPath(path)
  // A disk that ignores case or normal form finds the source itself by another spelling of its name.
  const isOnlyRespelled = identityKey(path) === identityKey(source.path)
  try {
    return await inFolder(openFolder(files, folders), (folder) =>
      withFileFailures(() => (isOnlyRespelled ? isListed(files, folder, name) : exists(files.disk, folder.at(name)))),
    )
  } catch (error) {
    if (isFailure(error, 'not_found')) return false
    throw isFailure(error, 'invalid_request') ? fail('path_conflict', { existing: path }) : error
  }
}

/**
 * The new path of every known file of a move, collected in slices. Fails when a file would get a path that is too long
 * for a new file, and longer than before.
 */
export async function movedFiles(vault: Vault, { path: from, kind }: MoveSource, to: string): Promise<MovedFiles> {
  const { files } = kind === 'folder' ? await vault.below(from) : { files: [from] }
  const pause = slices()
  const moved = new Map<string, string>()
  for (const path of files) {
    const target = to + path.slice(from.length)
    if (Buffer.byteLength(target) > Buffer.byteLength(path) && newLengthProblem(target) !== undefined)
      throw fail('invalid_request', [{ path: 'to', message: `would make the path of ${path} too long` }])
    moved.set(path, target)
    await pause()
  }
  return moved
}
