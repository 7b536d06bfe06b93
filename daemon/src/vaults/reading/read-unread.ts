import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@svc/shared/kit/log.ts'
import { retryMs } from '../../watch/unread/unread-folders.ts'

/** Files that must be read once. */
export type UnreadFiles = {
  /** Reads files one after the other. One that cannot be read keeps none of the others from being read. */
  readEach(paths: Iterable<string>): Promise<void>
  /**
   * Reads the files that failed again, less and less often, until all are read or the signal aborts. `onRead` is called
   * after each attempt that has read some.
   */
  readAgain(onRead: () => void): Promise<void>
  /** The files that could not be read. */
  failed(): string[]
}

type Options = {
  /** Reads one file; false if it could not be read. */
  read(path: string): Promise<boolean>
  signal: AbortSignal
  log: Log
  delayMs?: (attempts: number) => number
}

export function createUnreadFiles({ read, signal, log, delayMs = retryMs }: Options): UnreadFiles {
  const failed = new Set<string>()
  const logged = new Set<string>()

  async function isRead(path: string): Promise<boolean> {
    try {
      return await read(path)
    } catch (error) {
      signal.throwIfAborted()
      if (!logged.has(path)) log.warn({ err: error, path }, 'a file cannot be looked at; it is tried again')
      logged.add(path)
      return false
    }
  }

  async function readEach(paths: Iterable<string>): Promise<void> {
    for (const path of paths) {
      signal.throwIfAborted()
      if (await isRead(path)) failed.delete(path)
      else failed.add(path)
    }
  }

  return {
    readEach,
    async readAgain(onRead) {
      for (let attempts = 0; failed.size > 0; attempts++) {
        await sleep(delayMs(attempts), undefined, { signal, ref: false })
        const before = failed.size
        await readEach([...failed])
        if (failed.size < before) onRead()
        if (failed.size === 0) log.info('every file that could not be read has been read')
      }
    },
    failed: () => [...failed],
  }
}
