import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../entry/actor.ts'
import { inFolder, openFolder, openOrMakeFolder } from '../files/open-folder.ts'
import { changeVault } from '../vaults/change-vault.ts'
import { checkName, makeName, newFolderPath } from '../vaults/new-names.ts'
import { identityKey, type VaultPath } from '../files/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'

type Making = { vault: Vault; path: VaultPath; by: Actor }

/** Creates a folder with its parents; `created` is false if it existed already. */
export function createFolder({ vault, path: asked, by }: Making): Promise<{ path: string; created: boolean }> {
  return vault.queue.run(identityKey(asked), async () => {
    if (await isFolder(vault, asked)) return { path: asked, created: false }
    const path = await newFolderPath(vault, asked)
    if (path !== asked && (await isFolder(vault, path))) return { path, created: false }
    const name = await checkName(vault, path)

    const evidence = { at: path, is: 'folder' as const }
    await changeVault({ vault, mutation: { by, tool: 'create_folder', path }, evidence }, () =>
      makeName(vault, name, async () => {
        await inFolder(openOrMakeFolder(vault.files, path.split('/')), async () => {})
        vault.madeFolder(path, by)
        return { result: true }
      }),
    )
    return { path, created: true }
  })
}

async function isFolder(vault: Vault, path: string): Promise<boolean> {
  try {
    await inFolder(openFolder(vault.files, path.split('/')), async () => {})
    return true
  } catch (error) {
    if (isFailure(error, 'not_found')) return false
    throw isFailure(error, 'invalid_request') ? fail('path_conflict', { existing: path }) : error
  }
}
