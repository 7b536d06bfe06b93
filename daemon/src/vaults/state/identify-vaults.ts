import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { HomeLayout } from '../../home/home-layout.ts'
import { misconfigured } from '../../home/start-failure.ts'
import { DRAFT_PREFIX, isVaultDirectory } from '../create-vault.ts'
import { lostIdentity } from '../known-vaults.ts'
import { adoptVault, newVaultFile, readVaultFile, type VaultFile } from '../vault-identity.ts'
import { isAsideName, keyOf } from './known-record.ts'

type Identifying = { layout: HomeLayout; clock: Clock; log: Log }

/** The identities of the vaults of a home, by name. A directory without one gets one. */
export async function identify({ layout, clock, log }: Identifying): Promise<Map<string, VaultFile>> {
  const files = new Map<string, VaultFile>()
  const without: string[] = []
  for (const entry of await readdir(layout.vaults, { withFileTypes: true })) {
    const root = join(layout.vaults, entry.name)
    if (entry.name.startsWith(DRAFT_PREFIX)) await rm(root, { recursive: true, force: true })
    if (!isVaultDirectory(entry)) {
      if (entry.isDirectory() && !isAsideName(entry.name)) continue
      log.warn({ name: entry.name }, 'not a directory, or a name of kept data, so not a vault')
      continue
    }
    const file = await readVaultFile(root)
    if (file) files.set(entry.name, file)
    else without.push(entry.name)
  }
  for (const id of without) files.set(id, await adopt({ layout, id, found: files, clock, log }))
  return files
}

/** A directory without an identity, and the vaults that have one. */
type Adopting = Identifying & { id: string; found: ReadonlyMap<string, { identity: string }> }

/** Gives a directory the identity that it has lost, otherwise a new one. */
export async function adopt({ layout, id, found, clock, log }: Adopting): Promise<VaultFile> {
  const root = join(layout.vaults, id)
  const lost = await lostIdentity({ layout, name: id, found })
  const file = { ...newVaultFile(id, id, clock), ...(lost !== undefined && { identity: lost }) }
  await adoptVault(root, file).catch((error: Error) => {
    throw misconfigured(`the vault ${root} has no identity and none can be written: ${error.message}`)
  })
  log.info({ vault: id }, lost === undefined ? 'adopted a directory as a vault' : 'gave a vault its lost identity back')
  return file
}

/** Fails when two directories have the same identity. */
export function refuseDuplicates(layout: HomeLayout, files: ReadonlyMap<string, { identity: string }>): void {
  const seen = new Map<string, string>()
  for (const [id, { identity }] of files) {
    const key = keyOf(identity)
    const other = seen.get(key)
    if (other !== undefined)
      throw misconfigured(
        `two vaults have the same identity: ${join(layout.vaults, other)} and ${join(layout.vaults, id)}; remove one, or its .svc/vault.json to make it a vault of its own`,
      )
    seen.set(key, id)
  }
}
