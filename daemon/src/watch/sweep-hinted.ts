import type { MountedFolders } from '../files/mounted-folders.ts'
import type { Hints } from './folder-hints.ts'
import type { FolderWatches } from './folder-watches.ts'
import { join } from './folder-names.ts'
import type { Pause } from './slices.ts'
import { sweepNames } from './sweep-names.ts'
import { merge, sweepFolder, type Compared, type Differences } from './sweep.ts'
import type { WatchMode } from './watch-mode.ts'

type Hinted = {
  compared: Compared
  watches: Pick<FolderWatches, 'isReplaced'>
  /** The folders that could not be watched. */
  unwatched: ReadonlySet<string>
  mounted: Pick<MountedFolders, 'all'>
  mode: WatchMode
}

/** Compares the folders and names that events have named with the manifest. */
export async function sweepHinted(hinted: Hinted, hints: Hints, pause: Pause): Promise<Differences> {
  const { compared, watches, unwatched } = hinted
  const { manifest } = compared
  const all: Differences = { newFolders: [], goneFolders: [], changed: [], gone: [] }
  // No event reports that a folder can be read again, so look at the unwatched ones each time.
  for (const folder of new Set([...hints.keys(), ...unwatched])) {
    if (!manifest.hasFolder(folder)) continue
    const names = unwatched.has(folder) ? 'all' : hints.get(folder)!
    merge(all, lookAtNames(hinted, folder, names) ?? (await sweepFolder(compared, folder, pause)))
    // The watch of a folder that was moved away or removed reports nothing of the folder that has taken its place.
    for (const name of names === 'all' ? manifest.children(folder) : names) {
      const path = join(folder, name)
      if (manifest.hasFolder(path) && watches.isReplaced(path)) merge(all, await sweepFolder(compared, path, pause))
      await pause()
    }
    await pause()
  }
  return all
}

/** Undefined when the folder must be listed, as always while the vault has folders that may be separate disks. */
function lookAtNames(
  { compared: { root, manifest }, mounted, mode }: Hinted,
  folder: string,
  names: ReadonlySet<string> | 'all',
): Differences | undefined {
  if (names === 'all' || mode !== 'watch' || mounted.all().length > 0) return undefined
  return sweepNames({ root, manifest, folder, names })
}
