import { watch, type Dirent, type FSWatcher } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '@svc/shared/kit/log.ts'
import { sameStamp, type FileStamp } from '../files/file-stamp.ts'
import { errnoOf } from '../files/fs-failure.ts'
import { isVaultDirectory } from './create-vault.ts'
import { stampAt } from '../watch/list-folder.ts'
import type { WatchSetting } from '../watch/watch-mode.ts'
import { isAsideName } from './state/known-record.ts'
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
    await carryOut(census).catch((error: unknown) => {
      log.error({ err: error }, 'what changed in the folder of the vaults cannot be carried out; it is tried again')
    })
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

const ASIDE = 'has a name under which the data of vaults is kept; give it another one'

const isCandidate = (entry: Dirent): boolean =>
  isVaultDirectory(entry) || (entry.isDirectory() && isAsideName(entry.name))

/**
 * Lists the directories of a folder with their vaults. The identity of a vault is read again only when its directory or
 * the file of the identity has changed: a daemon at rest looks every few seconds, for years.
 */
function directoryLister(folder: string): () => Promise<FoundDirectory[]> {
  let known = new Map<string, { stamp: FileStamp; directory: FoundDirectory }>()

  return async () => {
    const entries = await readdir(folder, { withFileTypes: true })
    const read: typeof known = new Map()
    const looked = await Promise.all(
      entries.filter(isCandidate).map(async ({ name }): Promise<FoundDirectory | undefined> => {
        const root = join(folder, name)
        if (isAsideName(name)) return { name, mark: '', state: 'unreadable', reason: ASIDE }
        try {
          const { ino, mtimeMs } = await lstat(root)
          const mark = `${ino} ${mtimeMs}`
          const stamp = await stampAt(vaultLayout(root).vaultFile)
          const last = known.get(name)
          const isKnown = last?.directory.mark === mark && stamp !== undefined && sameStamp(last.stamp, stamp)
          const directory = isKnown ? last.directory : await readDirectory(root, { name, mark })
          if (stamp !== undefined) read.set(name, { stamp, directory })
          return directory
        } catch (error) {
          // It was moved away after the listing.
          if (errnoOf(error) === 'ENOENT') return undefined
          return { name, mark: '', state: 'unreadable', reason: (error as Error).message }
        }
      }),
    )
    known = read
    return looked.filter((directory) => directory !== undefined)
  }
}

async function readDirectory(root: string, { name, mark }: { name: string; mark: string }): Promise<FoundDirectory> {
  const file = await readVaultFile(root)
  return file ? { name, mark, state: 'vault', identity: file.identity } : { name, mark, state: 'new' }
}
