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
  /** Watches a folder. Every folder is watched before it is read, so that no change falls in between. */
  watch(folder: string): void
  onUnreadable(folder: string, error: unknown): void
  /** Called with the names of the files in each folder that was listed. */
  onListed?(names: Iterable<string>): void
  signal: AbortSignal
  /** Where to begin: the whole vault, or some folders with all below them. */
  from?: readonly string[]
}

// Threads read the names in so many folders while the event loop looks at the files of another one.
const AHEAD = 2

/** Tells the manifest of everything below some folders: each folder before those below it, in the order of their names. */
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
    const isAway = listing && (await away.isAway(folder, listing, manifest.rememberedIn(folder)))
    return isAway ? ('unreachable' as const) : listing
  }

  // The next one is the last.
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
