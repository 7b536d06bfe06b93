import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { recordCreation, type Creation } from '../audit/record-creation.ts'
import { isThere } from '../files/durable-file.ts'
import { withFileFailures } from '../files/fs-failure.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import { setStateAside } from './carry-state.ts'
import { draftVault, type FillVault, type VaultDraft } from './create-vault.ts'
import { openVault, type VaultParts } from './open-vault.ts'
import type { RefusedVault } from './vault-census.ts'
import { readVaultFile, type VaultFile } from './vault-identity.ts'
import { placeState, removeOldIndexes } from './known-vaults.ts'
import { adopt, identify, refuseDuplicates } from './state/identify-vaults.ts'
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
  /** The daemon is about to stop: aborts background work and creations, so that closing is quick. */
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
  const closing = new AbortController()
  const creations = new Set<Promise<Vault>>()
  /** What runs alone: the last step of a creation, or a look at the folder. */
  let busy: Promise<unknown> = Promise.resolve()

  const open = async (id: string, file: VaultFile) => {
    const root = await realpath(join(layout.vaults, id))
    const mountedFile = join(layout.mounted, `${id}.json`)
    const vault = await openVault({ ...parts, id, root, file, auditFolder: layout.audit, mountedFile, clock, log })
    vaults.set(id, vault)
    for (const listener of listeners) listener(vault)
    return vault
  }

  type Wish = { id: string; displayName: string; fill?: FillVault | undefined }
  const draft = (wish: Wish) => draftVault({ ...wish, vaultsFolder: layout.vaults, clock, stop: closing.signal })

  /** Gives a complete vault its path. */
  const settle = async (id: string, { file, place }: VaultDraft, creation?: Creation) => {
    const placeItsState = async () => {
      const found = new Map<string, { identity: string }>([...vaults, [id, file]])
      const waiting = await placeState({ layout, found, at: clock.now(), log })
      if (waiting.has(id)) throw waiting.get(id)
    }
    // Before the vault is there: a vault that is found without this could be opened on the data of a former one.
    await placeItsState()
    await setStateAside({ layout, name: id, at: clock.now() })
    if (creation) await recordCreation({ ...parts.ownDisk, folder: layout.audit, vaultId: id, clock, log }, creation)
    await place()
    // Again, so that its directory is known too.
    await placeItsState()
    return file
  }

  const makeDemo = async () => {
    const demo = await draft({ id: 'demo-vault', displayName: 'Demo vault' })
    return settle('demo-vault', demo).finally(demo.discard)
  }

  const files = await identify({ layout, clock, log })
  refuseDuplicates(layout, files)
  if (files.size === 0) files.set('demo-vault', await withFileFailures(makeDemo))
  const waiting = await placeState({ layout, found: files, at: clock.now(), log })
  await removeOldIndexes({ layout, found: files, log })
  for (const [id, file] of files) if (!waiting.has(id)) await open(id, file)

  const refuse = async (slug: string) => {
    closing.signal.throwIfAborted()
    const isTaken = [...vaults.keys()].some((id) => identityKey(id) === identityKey(slug))
    if (isTaken || (await isThere(join(layout.vaults, slug)))) throw fail('vault_exists')
    if (vaults.size >= maxVaults) throw fail('too_many_vaults', { maxVaults })
  }

  /** Only the last step needs to be alone: filling a draft may take minutes. */
  const create = async ({ displayName, slug, ...creation }: NewVault, fill?: FillVault) => {
    await refuse(slug)
    const drafted = await draft({ id: slug, displayName, fill })
    const finish = async () => {
      await refuse(slug)
      return open(slug, await settle(slug, drafted, creation))
    }
    return alone(finish).finally(drafted.discard)
  }

  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const done = busy.then(work)
    busy = done.catch(() => {})
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
    create(wish, fill) {
      const created = withFileFailures(() => create(wish, fill))
      creations.add(created)
      const forget = () => creations.delete(created)
      created.then(forget, forget)
      return created
    },
    isReady: () => [...vaults.values()].every((vault) => vault.isIndexed()),
    async flush() {
      const counts = await Promise.all([...vaults.values()].map((vault) => vault.flush()))
      return counts.reduce((sum, count) => sum + count, 0)
    },
    stopping() {
      closing.abort(fail('vault_closing'))
      lookout.close()
      for (const vault of vaults.values()) vault.stopping()
    },
    async close() {
      closing.abort(fail('vault_closing'))
      lookout.close()
      await Promise.allSettled(creations)
      await busy
      await Promise.all([...vaults.values()].map((vault) => vault.close()))
    },
  }
}
