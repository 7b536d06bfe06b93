import { randomUUID } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { z } from 'zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { errnoOf } from '../files/fs-failure.ts'
import { systemDisk } from '../files/disk/disk.ts'
import { giveAccessTo } from '../files/disk/file-access.ts'
import { makeFolders, ownerOfNew, syncFolder, writeJsonFile } from '../files/durable-file.ts'
import { NotRegularFile, readOwnFile } from '../files/regular-file.ts'
import { misconfigured } from '../home/start-failure.ts'
import { vaultLayout } from './vault-layout.ts'

/**
 * Content of `.svc/vault.json`. The directory name is the id; the `id` in the file is the one with which it was
 * created.
 */
export const VaultFile = z.looseObject({
  format: z.literal(1),
  identity: z.string().min(1),
  id: z.string(),
  displayName: z.string().min(1),
  createdAt: z.string(),
})
export type VaultFile = z.infer<typeof VaultFile>

/** A new identity for a vault. */
export function newVaultFile(id: string, displayName: string, clock: Clock): VaultFile {
  return { format: 1, identity: randomUUID(), id, displayName, createdAt: clock.now().toISOString() }
}

/** Reads the identity of the vault at a root, or undefined when it has none yet. */
export async function readVaultFile(root: string): Promise<VaultFile | undefined> {
  const { meta, vaultFile } = vaultLayout(root)
  try {
    const folder = await lstat(meta)
    if (!folder.isDirectory()) throw misconfigured(`${meta} must be a directory`)
    const text = await readOwnFile(vaultFile)
    return text === undefined ? undefined : VaultFile.parse(JSON.parse(text))
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    if (error instanceof SyntaxError || error instanceof z.ZodError || error instanceof NotRegularFile)
      throw misconfigured(`${vaultFile} cannot be read: it is not the identity of a vault`)
    throw error
  }
}

/** Gives a directory an identity. Writes `.svc/vault.json` and nothing else. */
export async function adoptVault(root: string, file: VaultFile): Promise<void> {
  const { meta, vaultFile } = vaultLayout(root)
  await makeFolders(meta)
  await writeJsonFile(meta, 'vault.json', file)
  const { ino } = await lstat(vaultFile)
  await giveAccessTo(systemDisk, { path: vaultFile, ino }, await ownerOfNew(vaultFile))
  await syncFolder(root)
}
