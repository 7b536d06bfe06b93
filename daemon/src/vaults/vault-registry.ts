import { readdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { recordCreation, type Creation } from '../audit/record-creation.ts'
import { isThere } from '../files/durable-file.ts'
import { withFileFailures } from '../files/fs-failure.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import { misconfigured } from '../home/start-failure.ts'
import { setStateAside } from './carry-state.ts'
import { createVault, DRAFT_PREFIX, isVaultDirectory, type FillVault } from './create-vault.ts'
import { openVault, type VaultParts } from './open-vault.ts'
import type { RefusedVault } from './vault-census.ts'
import { adoptVault, newVaultFile, readVaultFile, type VaultFile } from './vault-identity.ts'
import { lostIdentity, placeState, removeOldIndexes } from './known-vaults.ts'
import { isAsideName, keyOf } from './state/known-record.ts'
import { createVaultLookout } from './vault-lookout.ts'
import { identityKey } from '../files/vault-path.ts'
import type { Vault } from './vault.ts'

/** A new vault. Its audit begins with who created it, and by which tool. */
export type NewVault = { displayName: string; slug: string } & Creation

/** All vaults of a home. */
export type VaultRegistry = {
  list(): Vault[]
  /** The vault with this id; fails with `not_found`. */
  find(id: string): Vault
  /** Calls back for each vault that is opened from now on, also again; returns the function that stops it. */
  onOpened(listener: (vault: Vault) => void): () => void
  /** Creates a vault, with starter notes or with the files from `fill`. */
  create(wish: NewVault, fill?: FillVault): Promise<Vault>
  /** Directories that appeared while the daemon runs and are not served, and why. */
  refused(): readonly RefusedVault[]
  /** True when every vault is listed and indexed. */
  isReady(): boolean
  /** Makes all vaults durable; returns how many pieces of work it waited for. */
  flush(): Promise<number>
  /** The daemon is about to stop: aborts background work, so that closing is quick. */
  stopping(): void
  close(): Promise<void>
}

type Options = {
  layout: HomeLayout
  parts: Omit<VaultParts, 'auditFolder' | 'mountedFile' | 'clock' | 'log'>
  /** The limit for vaults created through the API. Directories that a person creates are served beyond it. */
  maxVaults: number
  clock: Clock
  log: Log
}

/**
 * Opens every vault below `vaults/`. A directory without an identity gets one; when there is no directory, a demo vault
 * is created. Two directories with the same identity are refused, because an edit of one could be taken for an edit of
 * the other.
 */
export async function openVaultRegistry({ layout, parts, maxVaults, clock, log }: Options): Promise<VaultRegistry> {
  const vaults = new Map<string, Vault>()
  const listeners = new Set<(vault: Vault) => void>()
  let creating: Promise<unknown> = Promise.resolve()

  const open = async (id: string, file: VaultFile) => {
    const root = await realpath(join(layout.vaults, id))
    const mountedFile = join(layout.mounted, `${id}.json`)
    const vault = await openVault({ ...parts, id, root, file, auditFolder: layout.audit, mountedFile, clock, log })
    vaults.set(id, vault)
    for (const listener of listeners) listener(vault)
    return vault
  }

  type Wish = { id: string; displayName: string; fill?: FillVault | undefined; creation?: Creation }
  const make = async ({ id, displayName, fill, creation }: Wish) => {
    const place = async (file: VaultFile) => {
      const found = new Map<string, { identity: string }>([...vaults, [id, file]])
      const waiting = await placeState({ layout, found, at: clock.now(), log })
      if (waiting.has(id)) throw waiting.get(id)
    }
    // Before the vault is there: a vault that is found without this could be opened on the data of a former one.
    const prepare = async (file: VaultFile) => {
      await place(file)
      await setStateAside({ layout, name: id, at: clock.now() })
      if (creation === undefined) return
      await recordCreation({ ...parts.ownDisk, folder: layout.audit, vaultId: id, clock, log }, creation)
    }
    const file = await createVault({ vaultsFolder: layout.vaults, id, displayName, clock, fill, prepare })
    // Again, so that its directory is known too.
    await place(file)
    return file
  }

  const files = await identify({ layout, clock, log })
  refuseDuplicates(layout, files)
  if (files.size === 0) files.set('demo-vault', await make({ id: 'demo-vault', displayName: 'Demo vault' }))
  const waiting = await placeState({ layout, found: files, at: clock.now(), log })
  await removeOldIndexes({ layout, found: files, log })
  for (const [id, file] of files) if (!waiting.has(id)) await open(id, file)

  const create = async ({ displayName, slug, ...creation }: NewVault, fill?: FillVault) => {
    const isTaken = [...vaults.keys()].some((id) => identityKey(id) === identityKey(slug))
    if (isTaken || (await isThere(join(layout.vaults, slug)))) throw fail('vault_exists')
    if (vaults.size >= maxVaults) throw fail('too_many_vaults', { maxVaults })
    return open(slug, await make({ id: slug, displayName, fill, creation }))
  }

  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const done = creating.then(work)
    creating = done.catch(() => {})
    return done
  }

  const shut = async (id: string) => {
    const vault = vaults.get(id)
    vaults.delete(id)
    await vault?.close()
  }

  const lookout = createVaultLookout({
    folder: layout.vaults,
    open: () => new Map(Array.from(vaults, ([id, vault]) => [id, vault.identity])),
    alone,
    async carryOut(census) {
      for (const id of census.close) {
        await shut(id)
        log.info({ vault: id }, 'a vault is gone from its folder; what is known of it is kept for its return')
      }
      for (const { from, to } of census.rename) {
        await shut(from)
        log.info({ vault: to, from }, 'a vault was renamed')
      }
      const tryEach = async <T>(ids: Iterable<string>, work: (id: string) => Promise<T>) => {
        const done = new Map<string, T>()
        for (const id of ids)
          await work(id).then(
            (result) => done.set(id, result),
            (error: unknown) => log.error({ err: error, vault: id }, 'a vault cannot be opened; it is tried again'),
          )
        return done
      }
      const came = new Map<string, VaultFile>()
      const all = () => new Map<string, { identity: string }>([...vaults, ...came])
      const take = (id: string, file: VaultFile) => {
        refuseDuplicates(layout, new Map([...all(), [id, file]]))
        came.set(id, file)
      }
      const names = [...census.open, ...census.rename.map(({ to }) => to)]
      const read = await tryEach(names, (id) => readVaultFile(join(layout.vaults, id)))
      // Those with an identity first: a directory without one gets none that another one has.
      const inOrder = [...read].toSorted(([, one], [, other]) => Number(!one) - Number(!other)).map(([id]) => id)
      await tryEach(inOrder, async (id) => {
        take(id, read.get(id) ?? (await adopt({ layout, id, found: all(), clock, log })))
      })
      if (came.size === 0) return
      const waiting = await placeState({ layout, found: all(), at: clock.now(), log })
      const placed = [...came.keys()].filter((id) => !waiting.has(id))
      const opened = await tryEach(placed, (id) => open(id, came.get(id)!))
      for (const id of opened.keys()) log.info({ vault: id }, 'a vault was opened')
    },
    watch: parts.watch,
    log,
  })

  return {
    refused: lookout.refused,
    list: () => [...vaults.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    find(id) {
      const vault = vaults.get(id)
      if (!vault) throw fail('not_found')
      return vault
    },
    onOpened(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    create: (wish, fill) => alone(() => withFileFailures(() => create(wish, fill))),
    isReady: () => [...vaults.values()].every((vault) => vault.isIndexed()),
    async flush() {
      const counts = await Promise.all([...vaults.values()].map((vault) => vault.flush()))
      return counts.reduce((sum, count) => sum + count, 0)
    },
    stopping() {
      lookout.close()
      for (const vault of vaults.values()) vault.stopping()
    },
    async close() {
      lookout.close()
      await creating
      await Promise.all([...vaults.values()].map((vault) => vault.close()))
    },
  }
}

type Identifying = Pick<Options, 'layout' | 'clock' | 'log'>

async function identify({ layout, clock, log }: Identifying): Promise<Map<string, VaultFile>> {
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

async function adopt({ layout, id, found, clock, log }: Adopting): Promise<VaultFile> {
  const root = join(layout.vaults, id)
  const lost = await lostIdentity({ layout, name: id, found })
  const file = { ...newVaultFile(id, id, clock), ...(lost !== undefined && { identity: lost }) }
  await adoptVault(root, file).catch((error: Error) => {
    throw misconfigured(`the vault ${root} has no identity and none can be written: ${error.message}`)
  })
  log.info({ vault: id }, lost === undefined ? 'adopted a directory as a vault' : 'gave a vault its lost identity back')
  return file
}

function refuseDuplicates(layout: HomeLayout, files: ReadonlyMap<string, { identity: string }>): void {
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
