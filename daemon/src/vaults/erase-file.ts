import type { Actor } from '../entry/actor.ts'
import type { FileStamp } from '../files/file-stamp.ts'
import { inFolder, openFolder, openOrMakeFolder } from '../files/open-folder.ts'
import { takeAway } from '../files/place-file.ts'
import { newName, TMP } from '../files/stage-file.ts'
import { changeVault } from './change-vault.ts'
import { splitPath } from '../files/vault-path.ts'
import type { Vault } from './vault.ts'

/** A file to remove, as the caller last saw it. */
export type Removal = {
  vault: Vault
  path: string
  stamp: FileStamp
  by: Actor
  tool: string
  before: string
}

/**
 * Removes a file permanently; `deletion` identifies the deletion in the history. Returns false when the file is no
 * longer the one that the caller saw. Runs inside the queue of the path.
 */
export async function eraseFile(removal: Removal, deletion: string): Promise<boolean> {
  const { vault, path, stamp, by, tool, before } = removal
  const root = vault.files
  const { folders, name } = splitPath(path)
  const evidence = { at: path, is: 'absent' as const }

  const erased = await changeVault({ vault, mutation: { by, tool, path, before }, evidence }, () =>
    inFolder(openOrMakeFolder(root, TMP), (tmp) =>
      inFolder(openFolder(root, folders), async (folder) => {
        const away = tmp.at(newName())
        if (!(await takeAway({ root, folder, name }, stamp, { path: away, sync: async () => {} }))) return undefined
        // The rename removes the file from the vault. If its bytes cannot be removed now, the next start removes them.
        await root.disk.rm(away, { force: true }).catch(() => {})
        vault.removed({ path, by, deletion, isErased: true })
        return { result: true }
      }),
    ),
  )
  return erased ?? false
}
