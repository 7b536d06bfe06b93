import { readdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { isThere } from '../files/durable-file.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import { misconfigured } from '../home/start-failure.ts'
import { createVault, DRAFT_PREFIX } from './create-vault.ts'
import { openVault, type VaultParts } from './open-vault.ts'
import { adoptVault, newVaultFile, readVaultFile, type VaultFile } from './vault-identity.ts'
import { identityKey, isVisibleName } from '../files/vault-path.ts'
import type { Vault } from './vault.ts'

/** All vaults of a home. */
export type VaultRegistry = {
  list(): Vault[]
  /** The vault of an id, or `not_found`. */
  find(id: string): Vault
  create(wish: { displayName: string; slug: string }): Promise<Vault>
  /** True when every vault is listed and indexed. */
  isReady(): boolean
  /** Makes all vaults durable; answers how much work was waited for. */
  flush(): Promise<number>
  close(): Promise<void>
}

type Options = { layout: HomeLayout; parts: Omit<VaultParts, 'auditFolder' | 'clock' | 'log'>; clock: Clock; log: Log }

/**
 * Opens every vault below `vaults/`: a directory without an identity gets one, and without any directory a demo vault
 * is made. Two directories with one identity are refused, since an edit of one could be taken for the other.
 */
export async function openVaultRegistry({ layout, parts, clock, log }: Options): Promise<VaultRegistry> {
  const vaults = new Map<string, Vault>()
  let creating: Promise<unknown> = Promise.resolve()

  const open = async (id: string, file: VaultFile) => {
    const root = await realpath(join(layout.vaults, id))
    const vault = await openVault({ ...parts, id, root, file, auditFolder: layout.audit, clock, log })
    vaults.set(id, vault)
    return vault
  }

  const files = await identify({ layout, clock, log })
  refuseDuplicates(layout, files)
  if (files.size === 0) {
    const file = await createVault({ vaultsFolder: layout.vaults, id: 'demo-vault', displayName: 'Demo vault', clock })
    files.set('demo-vault', file)
  }
  for (const [id, file] of files) await open(id, file)

  const create = async ({ displayName, slug }: { displayName: string; slug: string }) => {
    const isTaken = [...vaults.keys()].some((id) => identityKey(id) === identityKey(slug))
    if (isTaken || (await isThere(join(layout.vaults, slug)))) throw fail('vault_exists')
    const file = await createVault({ vaultsFolder: layout.vaults, id: slug, displayName, clock })
    return open(slug, file)
  }

  return {
    list: () => [...vaults.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    find(id) {
      const vault = vaults.get(id)
      if (!vault) throw fail('not_found')
      return vault
    },
    create(wish) {
      const created = creating.then(() => create(wish))
      creating = created.catch(() => {})
      return created
    },
    isReady: () => [...vaults.values()].every((vault) => vault.isIndexed()),
    async flush() {
      const counts = await Promise.all([...vaults.values()].map((vault) => vault.flush()))
      return counts.reduce((sum, count) => sum + count, 0)
    },
    async close() {
      await creating
      await Promise.all([...vaults.values()].map((vault) => vault.close()))
    },
  }
}

async function identify({
  layout,
  clock,
  log,
}: Pick<Options, 'layout' | 'clock' | 'log'>): Promise<Map<string, VaultFile>> {
  const files = new Map<string, VaultFile>()
  for (const entry of await readdir(layout.vaults, { withFileTypes: true })) {
    const root = join(layout.vaults, entry.name)
    if (entry.name.startsWith(DRAFT_PREFIX)) await rm(root, { recursive: true, force: true })
    if (!isVisibleName(entry.name)) continue
    if (!entry.isDirectory()) {
      log.warn({ name: entry.name }, 'not a directory, so not a vault')
      continue
    }
    const known = await readVaultFile(root)
    const file = known ?? newVaultFile(entry.name, entry.name, clock)
    if (!known) {
      await adoptVault(root, file).catch((error: Error) => {
        throw misconfigured(`the vault ${root} has no identity and none can be written: ${error.message}`)
      })
      log.info({ vault: entry.name }, 'adopted a directory as a vault')
    }
    files.set(entry.name, file)
  }
  return files
}

function refuseDuplicates(layout: HomeLayout, files: ReadonlyMap<string, VaultFile>): void {
  const seen = new Map<string, string>()
  for (const [id, { identity }] of files) {
    const other = seen.get(identity)
    if (other !== undefined)
      throw misconfigured(
        `two vaults have the same identity: ${join(layout.vaults, other)} and ${join(layout.vaults, id)}; remove one, or its .svc/vault.json to make it a vault of its own`,
      )
    seen.set(identity, id)
  }
}
