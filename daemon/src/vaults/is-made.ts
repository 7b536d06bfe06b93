import type { Evidence } from '../audit/evidence.ts'
import type { FileRoot } from '../files/file-root.ts'
import { errnoOf } from '../files/fs-failure.ts'
import { isSameFile } from '../files/file-stamp.ts'
import { inFolder, openFolder } from '../files/open-folder.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { splitPath } from '../files/vault-path.ts'

/** True when a vault shows the evidence of a change. */
export async function isMade(root: FileRoot, { at, is }: Evidence): Promise<boolean> {
  const { folders, name } = splitPath(at)
  const stat = await inFolder(openFolder(root, folders), (folder) => root.disk.lstat(folder.at(name))).catch(
    (error: unknown) => {
      if (errnoOf(error) === 'ENOENT' || isFailure(error, 'not_found')) return undefined
      throw error
    },
  )
  if (is === 'absent') return stat === undefined
  if (is === 'folder') return stat?.isDirectory() ?? false
  return stat !== undefined && isSameFile(stat, is)
}
