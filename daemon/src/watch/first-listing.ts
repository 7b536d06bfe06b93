import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@svc/shared/kit/log.ts'
import { adoptWalk } from './adopt-walk.ts'
import type { AwayFolders } from './away-folders.ts'
import type { FolderWatches } from './folder-watches.ts'
import { listVault } from './list-vault.ts'
import type { Manifest } from './manifest.ts'
import type { Pause } from './slices.ts'
import { retryMs } from './unread/unread-folders.ts'
import type { WalkedVault } from './walk-vault.ts'

/**
 * Walks a vault outside the daemon process and compares it with what is remembered. Undefined when listing it in the
 * daemon is quicker, or when too much has changed. Calls `onFolders` with the folders before any of them is read.
 */
export type Walk = (onFolders: (folders: readonly string[]) => void) => Promise<WalkedVault | undefined> | undefined

type FirstListing = Omit<Parameters<typeof listVault>[0], 'from' | 'manifest' | 'away'> & {
  manifest: Manifest
  away: Pick<AwayFolders, 'isAway'>
  watches: Pick<FolderWatches, 'add'>
  /** Requests another look at a folder. */
  hint(folder: string): void
  walk: Walk | undefined
  /** The vault itself could not be listed; it is tried again. */
  onUnlisted(error: unknown): void
  log: Log
}

/**
 * Fills the manifest with everything in a vault: by a walk if there is one, and by listing the folders that the walk
 * left. Tries again while the vault itself cannot be listed; rejects only when the signal aborts.
 */
export async function listFirst(listing: FirstListing, pause: Pause): Promise<void> {
  const { signal, onUnlisted } = listing
  let from = await walkFirst(listing, pause)
  for (let attempts = 0; ; attempts++) {
    try {
      return await listVault({ ...listing, from }, pause)
    } catch (error) {
      signal.throwIfAborted()
      onUnlisted(error)
      await sleep(retryMs(attempts), undefined, { signal, ref: false })
      from = ['']
    }
  }
}

/** Walks the vault; returns the folders that must still be listed. */
async function walkFirst(
  { manifest, away, watch, watches, hint, walk, signal, log }: FirstListing,
  pause: Pause,
): Promise<string[]> {
  const files = manifest.remembered()
  const unwatched = new Set<string>()
  const walking = walk?.((folders) => {
    for (const folder of folders) if (!watches.add(folder)) unwatched.add(folder)
  })
  if (!walking) return ['']
  try {
    const walked = await walking
    if (!walked || !(await adoptWalk(manifest, { files, walked }, pause))) return ['']
    await away.isAway('', { device: walked.device, folders: [], files: new Map() }, [])
    for (const folder of walked.folders) {
      watch(folder)
      // The folder may have changed after it was read.
      if (unwatched.has(folder)) hint(folder)
    }
    return walked.left
  } catch (error) {
    signal.throwIfAborted()
    log.warn({ err: error }, 'the separate process that walks a vault has failed; the daemon lists the vault instead')
    return ['']
  }
}
