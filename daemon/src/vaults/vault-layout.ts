import { join } from 'node:path'

/** The paths of the metadata of one vault. */
export type VaultLayout = {
  root: string
  meta: string
  vaultFile: string
  foldersFile: string
  trash: string
  tmp: string
}

/** The layout of the vault at a root directory. */
export function vaultLayout(root: string): VaultLayout {
  const meta = join(root, '.svc')
  return {
    root,
    meta,
    vaultFile: join(meta, 'vault.json'),
    foldersFile: join(meta, 'folders.yml'),
    trash: join(meta, 'trash'),
    tmp: join(meta, 'tmp'),
  }
}
