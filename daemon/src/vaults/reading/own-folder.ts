import { stat } from 'node:fs/promises'
import { fail } from '@svc/shared/wire/errors.ts'
import { readVaultFile } from '../vault-identity.ts'

/**
 * The folder of an open vault. Somebody may put another vault in its place, and the daemon finds that out only at its
 * next look at the folder of all vaults. Until then, nothing may be carried from one vault into the other.
 */
export type OwnFolder = {
  /** True when the folder is that of another vault. */
  isReplaced(): Promise<boolean>
  /** Fails with `vault_closing` when the folder is that of another vault. */
  refuseReplaced(): Promise<void>
}

/** Remembers which folder a vault is in. */
export async function ownFolder({ root, identity }: { root: string; identity: string }): Promise<OwnFolder> {
  // Undefined while the folder is away, which others report.
  const markNow = async () => {
    const seen = await stat(root).catch(() => undefined)
    return seen && `${seen.dev} ${seen.ino}`
  }
  let mark = await markNow()

  async function isReplaced(): Promise<boolean> {
    const now = await markNow()
    if (now === undefined || now === mark) return false
    const file = await readVaultFile(root).catch(() => undefined)
    if (file !== undefined && file.identity !== identity) return true
    // The same vault from another disk or a backup. Its identity is not read again each time.
    if (file) mark = now
    return false
  }

  return {
    isReplaced,
    async refuseReplaced() {
      if (await isReplaced()) throw fail('vault_closing')
    },
  }
}
