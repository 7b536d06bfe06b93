import { stat } from 'node:fs/promises'
import { fail } from '@svc/shared/wire/errors.ts'
import { folderMarkOf, isSameFolder } from '../../files/file-stamp.ts'
import { readVaultFile } from '../vault-identity.ts'

/**
 * The folder of an open vault. Somebody may put another vault in its place, and the daemon finds that out only at its
 * next look at the folder of all vaults. Until then, nothing may be carried from one vault into the other. A directory
 * without an identity may be the mount point of a disk that is away: it is not the vault either.
 */
export type OwnFolder = {
  /** True when another directory has the place of the folder, unless it has the identity of the vault. */
  isReplaced(): Promise<boolean>
  /** Fails with `vault_closing` when the folder is replaced. */
  refuseReplaced(): Promise<void>
}

/** Remembers which folder a vault is in. */
export async function ownFolder({ root, identity }: { root: string; identity: string }): Promise<OwnFolder> {
  // Undefined while the folder is away, which others report.
  const markNow = async () => {
    const seen = await stat(root).catch(() => undefined)
    return seen && folderMarkOf(seen)
  }
  let mark = await markNow()

  async function isReplaced(): Promise<boolean> {
    const now = await markNow()
    if (now === undefined || (mark && isSameFolder(now, mark))) return false
    const file = await readVaultFile(root).catch(() => undefined)
    if (file?.identity !== identity) return true
    // The same vault from another disk or a backup. Its identity is not read again each time.
    mark = now
    return false
  }

  return {
    isReplaced,
    async refuseReplaced() {
      if (await isReplaced()) throw fail('vault_closing')
    },
  }
}
