import { watch, type FSWatcher } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '@svc/shared/kit/log.ts'
import { errnoOf } from '../files/fs-failure.ts'
import { isVaultDirectory } from './create-vault.ts'
import type { WatchSetting } from '../watch/watch-mode.ts'
import { takeCensus, type Census, type FoundDirectory, type RefusedVault } from './vault-census.ts'
import { readVaultFile } from './vault-identity.ts'
import { vaultLayout } from './vault-layout.ts'

/** Watches the folder of all vaults while the daemon runs. */
export type VaultLookout = {
  /** Directories that are not served, and why. */
  refused(): readonly RefusedVault[]
  close(): void
}

type Options = {
  folder: string
  /** Identities of the open vaults by id. */
  open(): ReadonlyMap<string, string>
  /** Runs a check while no vault is being created. */
  alone(look: () => Promise<void>): Promise<void>
  /** Opens and closes vaults as the census decided. */
  carryOut(census: Pick<Census, 'close' | 'rename' | 'open'>): Promise<void>
  watch: WatchSetting
  log: Log
  timing?: { hintMs: number; againMs: number; lookMs: number }
}

const TIMING = { hintMs: 300, againMs: 1000, lookMs: 10_000 }

/** Watches a folder of vaults. Events only trigger an earlier check; one runs every few seconds anyway. */
export function createVaultLookout({
  folder,
  open,
  alone,
  carryOut,
  watch: setting,
  log,
  timing = TIMING,
}: Options): VaultLookout {
  const listDirectories = directoryLister(folder)
  let before: FoundDirectory[] | undefined
  let refused: readonly RefusedVault[] = []
  let timer: NodeJS.Timeout | undefined
  let watcher: FSWatcher | undefined
  let closed = false

  function lookIn(ms: number): void {
    if (closed || setting === 'off') return
    clearTimeout(timer)
    timer = setTimeout(() => void alone(look).catch(failed), ms)
    timer.unref()
  }

  function failed(error: unknown): void {
    if (!closed) log.warn({ err: error }, 'the folder of the vaults cannot be listed; its vaults stay as they are')
    lookIn(timing.lookMs)
  }

  async function look(): Promise<void> {
    if (closed) return
    const found = await listDirectories()
    if (!before) {
      before = found
      return lookIn(timing.againMs)
    }
    const census = takeCensus({ open: open(), found, before })
    before = found
    tell(census.refused)
    await carryOut(census)
    lookIn(census.isUndecided ? timing.againMs : timing.lookMs)
  }

  function tell(now: readonly RefusedVault[]): void {
    const known = new Set(refused.map(({ name, reason }) => `${name}/${reason}`))
    for (const { name, reason } of now)
      if (!known.has(`${name}/${reason}`)) log.error({ vault: name, reason }, 'a directory is not served as a vault')
    refused = now
  }

  try {
    if (setting === 'auto') watcher = watch(folder, { persistent: false }, () => lookIn(timing.hintMs))
    watcher?.on('error', () => watcher?.close())
  } catch (error) {
    log.warn({ err: error }, 'the folder of the vaults cannot be watched; it is checked every few seconds')
  }
  lookIn(timing.againMs)

  return {
    refused: () => refused,
    close() {
      closed = true
      clearTimeout(timer)
      watcher?.close()
    },
  }
}

/**
 * Lists the directories of a folder with their vaults. The identity of a vault is read again only when its directory or
 * the file of the identity has changed: a daemon at rest looks every few seconds, for years.
 */
function directoryLister(folder: string): () => Promise<FoundDirectory[]> {
  let known = new Map<string, { stamps: string; directory: FoundDirectory }>()

  async function find(name: string): Promise<{ stamps: string; directory: FoundDirectory } | undefined> {
    const root = join(folder, name)
    try {
      const { ino, mtimeMs } = await lstat(root)
      const mark = `${ino} ${mtimeMs}`
      const stamps = `${mark} ${await stampOf(vaultLayout(root).vaultFile)}`
      const last = known.get(name)
      if (last?.stamps === stamps) return last
      const file = await readVaultFile(root)
      const directory: FoundDirectory = file
        ? { name, mark, state: 'vault', identity: file.identity }
        : { name, mark, state: 'new' }
      return { stamps, directory }
    } catch (error) {
      // It was moved away after the listing.
      if (errnoOf(error) === 'ENOENT') return undefined
      return { stamps: '', directory: { name, mark: '', state: 'unreadable', reason: (error as Error).message } }
    }
  }

  return async () => {
    const entries = await readdir(folder, { withFileTypes: true })
    const looked = await Promise.all(entries.filter(isVaultDirectory).map(({ name }) => find(name)))
    const found = looked.filter((one) => one !== undefined)
    known = new Map(found.map((one) => [one.directory.name, one]))
    return found.map(({ directory }) => directory)
  }
}

/** Changes whenever a file does; empty if it cannot be examined. */
async function stampOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await lstat(path)
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`
  } catch {
    // It is read next, which fails in the same way and says why.
    return ''
  }
}
