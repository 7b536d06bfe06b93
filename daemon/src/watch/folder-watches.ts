import { watch, type FSWatcher } from 'node:fs'
import { join } from 'node:path'
import { errnoOf } from '../files/fs-failure.ts'
import { isVisibleName } from '../files/vault-path.ts'

/** One watch per folder of a vault. Events are only hints that a folder, or a name in it, is worth a look. */
export type FolderWatches = {
  /** Returns false when this folder cannot be watched now, because it cannot be read or is gone. */
  add(folder: string): boolean
  remove(folder: string): void
  close(): void
}

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
  const watches = new Map<string, FSWatcher>()
  let isClosed = false

  return {
    add(folder) {
      if (isClosed || watches.has(folder)) return true
      try {
        const watcher = begin(join(root, folder), { persistent: false }, (_event, name) => {
          if (name === null || isVisibleName(name)) onHint(folder, name)
        })
        watcher.on('error', (error) => {
          watches.delete(folder)
          watcher.close()
          onTrouble(error)
          onHint(folder, null)
        })
        watches.set(folder, watcher)
        return true
      } catch (error) {
        if (OF_ONE_FOLDER.includes(errnoOf(error) ?? '')) return false
        onTrouble(error)
        return true
      }
    },
    remove(folder) {
      watches.get(folder)?.close()
      watches.delete(folder)
    },
    close() {
      isClosed = true
      for (const watcher of watches.values()) watcher.close()
      watches.clear()
    },
  }
}
