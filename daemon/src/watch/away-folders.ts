import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Log } from '@svc/shared/kit/log.ts'
import { isUnmounted, type MountedFolders } from '../files/mounted-folders.ts'
import type { FolderWatches } from './folder-watches.ts'
import type { FolderListing } from './list-folder.ts'
import type { Manifest } from './manifest.ts'

/** Distinguishes folders whose disk is away from folders that were emptied. */
export type AwayFolders = {
  /** The folders whose disk was away when they were last listed. */
  all(): readonly string[]
  /**
   * Checks a folder that was just listed; `known` are the names known in it. Returns true when the disk that used to be
   * mounted there is away: then what is known below the folder is kept.
   */
  isAway(folder: string, listing: FolderListing, known: Iterable<string>): Promise<boolean>
  /**
   * The folders that must be listed again. Their disk has been mounted or unmounted; or it is away, and somebody may
   * have put files into the folder itself.
   */
  toLookAt(): Promise<string[]>
  /** The nearest folder above this one whose disk is away. */
  above(folder: string): Promise<string | undefined>
  /** The folder was removed, with everything below it. */
  removed(folder: string): void
}

type Options = {
  root: string
  manifest: Pick<Manifest, 'foldersBelow'>
  mounted: MountedFolders
  watches: Pick<FolderWatches, 'remove'>
  /** Requests another look at a folder, which also watches it again. */
  hint(folder: string): void
  log: Log
}

export function createAwayFolders({ root, manifest, mounted, watches, hint, log }: Options): AwayFolders {
  const away = new Set<string>()
  let deviceOfRoot: number | undefined

  async function isMounted(folder: string, device: number): Promise<boolean> {
    if (device === deviceOfRoot && !mounted.all().includes(folder)) return false
    return device !== (await lstat(dirname(join(root, folder)))).dev
  }

  return {
    all: () => Array.from(away),
    async isAway(folder, { device, folders, files }, known) {
      if (folder === '') {
        deviceOfRoot = device
        return false
      }
      if (await isMounted(folder, device)) {
        mounted.add(folder)
        if (away.delete(folder)) {
          log.info({ folder }, 'the disk of a folder is back')
          manifest.foldersBelow(folder).forEach(hint)
        }
        return false
      }
      if (!mounted.all().includes(folder)) return false

      const names = Array.from(known)
      const isEmpty = folders.length === 0 && files.size === 0
      const hasKnown = names.some((name) => files.has(name) || folders.includes(name))
      if (hasKnown || (names.length === 0 && !isEmpty)) {
        // Somebody has put files into the folder itself.
        mounted.remove(folder)
        away.delete(folder)
        manifest.foldersBelow(folder).forEach(hint)
        return false
      }
      if (!away.has(folder))
        log.warn(
          { folder },
          'the disk of a folder is away; what is known of it is kept, and nothing is taken for deleted',
        )
      away.add(folder)
      // These watches are dead. Left in place, they would prevent new ones on the disk that is mounted next.
      for (const below of manifest.foldersBelow(folder)) watches.remove(below)
      return true
    },
    async toLookAt() {
      const folders: string[] = []
      for (const folder of mounted.all())
        if (away.has(folder) || (await isUnmounted(root, folder).catch(() => true))) folders.push(folder)
      return folders
    },
    above: (folder) => mounted.awayAt(dirname(folder)),
    removed(folder) {
      mounted.remove(folder)
      away.delete(folder)
    },
  }
}
