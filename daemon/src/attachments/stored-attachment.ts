import { fail } from '@svc/shared/wire/errors.ts'
import { accessOf, type FileAccess } from '../files/disk/file-access.ts'
import { ignoreMissing, withFileFailures } from '../files/fs-failure.ts'
import { stampOf, type FileStamp } from '../files/file-stamp.ts'
import { inFolder, openFolder } from '../files/open-folder.ts'
import { splitPath } from '../files/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'

/** An attachment as it is on disk. `path` is its name there, which may differ from the requested one in normal form. */
export type StoredAttachment = { path: string; stamp: FileStamp; access: FileAccess }

/**
 * Reads an attachment's state, or returns undefined when there is no such file. Only a missing name counts as absent.
 * Any other failure is thrown, because treating it as absent could overwrite a file.
 */
export async function findAttachment(vault: Vault, asked: string): Promise<StoredAttachment | undefined> {
  const path = vault.manifest.onDisk(asked)
  const { folders, name } = splitPath(path)
  const stat = await inFolder(openFolder(vault.files, folders), (folder) =>
    withFileFailures(() => vault.files.disk.lstat(folder.at(name))),
  ).catch(ignoreMissing)
  if (!stat) return undefined
  if (!stat.isFile()) throw fail('path_conflict', { existing: path })
  return { path, stamp: stampOf(stat), access: accessOf(stat) }
}
