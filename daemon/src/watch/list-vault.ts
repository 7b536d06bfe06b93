import { fail } from '@svc/shared/wire/errors.ts'
import type { AwayFolders } from './away-folders.ts'
import type { BeginListing } from './list-folder.ts'
import { join } from './folder-names.ts'
import type { Manifest } from './manifest.ts'
import type { Pause } from './slices.ts'

type FirstListing = {
  root: string
  manifest: Pick<Manifest, 'listed' | 'keep' | 'rememberedIn'>
  away: Pick<AwayFolders, 'isAway'>
  begin: BeginListing
  /** Watches a folder. Called for every folder before it is read, so that no change is missed in between. */
  watch(folder: string): void
  onUnreadable(folder: string, error: unknown): void
  /** Called with the names of the files in each folder that was listed. */
  onListed?(names: Iterable<string>): void
  signal: AbortSignal
  /** The folders to list with all below them; by default the whole vault. */
  from?: readonly string[]
}

// The number of folders whose names are read in threads while the event loop processes another folder.
const AHEAD = 2

/**
 * Adds everything below some folders to the manifest: each folder before those below it, in the order of their names.
 * Fails if the vault itself cannot be listed.
 */
export async function listVault(
  { root, manifest, away, begin, watch, onUnreadable, onListed, signal, from = [''] }: FirstListing,
  pause: Pause,
): Promise<void> {
  const begun = new Map<string, ReturnType<BeginListing>>()
  const beginAt = (folder: string) => {
    if (begun.has(folder)) return
    watch(folder)
    begun.set(folder, begin(root, folder))
  }

  const look = async (folder: string) => {
    const listing = await begun.get(folder)!(pause)
    // Its volume is away, or it is being moved. No file was deleted.
    if (!listing && folder === '')
      throw fail('not_found', undefined, { cause: new Error('the vault is not at its place') })
    const isAway = listing && (await away.isAway(folder, listing, manifest.rememberedIn(folder)))
    return isAway ? ('unreachable' as const) : listing
  }

  // A stack: the last folder is listed next.
  const waiting = from.toReversed()
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted()
    beginAt(folder)
    for (const next of waiting.slice(-AHEAD)) beginAt(next)
    const listing = await look(folder).catch((error: unknown) => {
      if (folder === '') throw error
      onUnreadable(folder, error)
      return 'unreachable' as const
    })
    begun.delete(folder)
    if (listing === 'unreachable') {
      await manifest.keep(folder, pause)
      continue
    }
    if (listing) onListed?.(listing.files.keys())
    await manifest.listed(folder, listing?.files ?? new Map(), pause)
    for (const name of listing?.folders.sort().toReversed() ?? []) waiting.push(join(folder, name))
  }
}
