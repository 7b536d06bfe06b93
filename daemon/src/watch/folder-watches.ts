import { lstatSync, watch, type FSWatcher } from 'node:fs'
import { basename, join } from 'node:path'
import { folderMarkOf, isSameFolder, type FolderMark } from '../files/file-stamp.ts'
import { errnoOf } from '../files/fs-failure.ts'
import { isVisibleName } from '../files/vault-path.ts'

/** One watch per folder of a vault. Events are only hints that a folder, or a name in it, is worth a look. */
export type FolderWatches = {
  /** Returns false when this folder cannot be watched now, because it cannot be read or is gone. */
  add(folder: string): boolean
  /**
   * True when another folder seems to be at the place of the watched one. A watch follows its folder when that is moved,
   * and ends when it is removed, so it reports nothing of the other folder.
   */
  isReplaced(folder: string): boolean
  remove(folder: string): void
  close(): void
}

/** `isDoubted`: the folder may have been moved or removed since the watch began. */
type Watched = { watcher: FSWatcher; mark: FolderMark; isDoubted: boolean }

type Options = {
  root: string
  onHint(folder: string, name: string | null): void
  onTrouble(error: unknown): void
  /** Injected so that a test can run out of watches. */
  begin?: typeof watch
}

// These errors concern one folder; any other error means that watching itself does not work.
const OF_ONE_FOLDER = ['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ELOOP']

/**
 * Watches the folders of a vault. `onTrouble` reports that folders cannot be watched, so that only sweeps notice their
 * changes. After `close`, no folder is watched.
 */
export function createFolderWatches({ root, onHint, onTrouble, begin = watch }: Options): FolderWatches {
  const watches = new Map<string, Watched>()
  let isClosed = false

  return {
    add(folder) {
      if (isClosed || watches.has(folder)) return true
      const full = join(root, folder)
      try {
        // Taken before the watch begins: if the folder is replaced in between, the next look finds another mark.
        const mark = markAt(full)
        if (mark === undefined) return false
        const watcher = begin(full, { persistent: false }, (event, name) => {
          // An event about the folder itself carries the folder's own name. This one may report that it was moved or removed.
          if (event === 'rename' && name === basename(full)) watched.isDoubted = true
          if (name === null || isVisibleName(name)) onHint(folder, name)
        })
        const watched: Watched = { watcher, mark, isDoubted: false }
        watcher.on('error', (error) => {
          watches.delete(folder)
          watcher.close()
          onTrouble(error)
          onHint(folder, null)
        })
        watches.set(folder, watched)
        return true
      } catch (error) {
        if (OF_ONE_FOLDER.includes(errnoOf(error) ?? '')) return false
        onTrouble(error)
        return true
      }
    },
    isReplaced(folder) {
      const watched = watches.get(folder)
      if (!watched) return false
      try {
        const mark = markAt(join(root, folder))
        return mark !== undefined && (watched.isDoubted || !isSameFolder(mark, watched.mark))
      } catch {
        return false
      }
    },
    remove(folder) {
      watches.get(folder)?.watcher.close()
      watches.delete(folder)
    },
    close() {
      isClosed = true
      for (const { watcher } of watches.values()) watcher.close()
      watches.clear()
    },
  }
}

/** Undefined when there is no folder; a link is none. */
function markAt(full: string): FolderMark | undefined {
  const seen = lstatSync(full, { throwIfNoEntry: false })
  return seen?.isDirectory() === true ? folderMarkOf(seen) : undefined
}
