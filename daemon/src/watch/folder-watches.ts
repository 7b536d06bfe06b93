import { watch, type FSWatcher } from 'node:fs'
import { join } from 'node:path'
import { isVisibleName } from '../files/vault-path.ts'

/** One watch per folder of a vault. Events are only hints that a folder is worth a look. */
export type FolderWatches = { add(folder: string): void; remove(folder: string): void; close(): void }

type Options = {
  root: string
  onHint(folder: string): void
  onTrouble(error: unknown): void
  /** An argument, so that a test can run out of watches. */
  begin?: typeof watch
}

/**
 * Watches the folders of a vault. `onTrouble` tells that some folder is not watched and only sweeps see its changes. After
 * `close`, no folder is watched any more.
 */
export function createFolderWatches({ root, onHint, onTrouble, begin = watch }: Options): FolderWatches {
  const watches = new Map<string, FSWatcher>()
  let isClosed = false

  return {
    add(folder) {
      if (isClosed || watches.has(folder)) return
      try {
        const watcher = begin(join(root, folder), { persistent: false }, (_event, name) => {
          if (name === null || isVisibleName(name)) onHint(folder)
        })
        watcher.on('error', (error) => {
          watches.delete(folder)
          watcher.close()
          onTrouble(error)
          onHint(folder)
        })
        watches.set(folder, watcher)
      } catch (error) {
        onTrouble(error)
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
