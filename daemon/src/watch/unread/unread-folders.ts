import type { Log } from '@svc/shared/kit/log.ts'
import type { ListFolder } from '../list-folder.ts'
import type { Timers } from '../timers.ts'

/** The folders of a vault that cannot be read. They are read again, because no event reports that a disk has recovered. */
export type UnreadFolders = {
  /** A folder could not be read: logs it once, and looks again later. */
  failed(folder: string, error: unknown): void
  /** Notes which folders a lister has listed. */
  noting(list: ListFolder): ListFolder
  /** A folder was removed. */
  gone(folder: string): void
  /** The folders that cannot be read now. */
  now(): string[]
  /** The folders that could not be read at some time. */
  ever(): string[]
}

export type UnreadFoldersOptions = {
  /** Requests another look at a folder. */
  look(folder: string): void
  /** Called soon after other folders than before cannot be read. */
  onUnread(): void
  later: Timers['later']
  signal: AbortSignal
  log: Log
}

const FIRST_MS = 1000
const LAST_MS = 60_000
// A disk that fails or recovers changes many folders at once; they are told as one change.
const TELL_MS = 150

/** How long to wait after a number of attempts: a short failure is over soon, and a lasting one costs little. */
export const retryMs = (attempts: number): number => Math.min(LAST_MS, FIRST_MS * 2 ** Math.min(attempts, 10))

export function createUnreadFolders({ look, onUnread, later, signal, log }: UnreadFoldersOptions): UnreadFolders {
  const ever = new Set<string>()
  const unread = new Map<string, { attempts: number; isWaiting: boolean }>()
  let telling: NodeJS.Timeout | undefined

  function tell(): void {
    telling ??= later(TELL_MS, async () => {
      telling = undefined
      onUnread()
    })
  }

  function remove(folder: string): void {
    if (unread.delete(folder)) tell()
  }

  return {
    failed(folder, error) {
      signal.throwIfAborted()
      if (!ever.has(folder)) {
        const message = 'a folder cannot be read; what is known of it is kept, and nothing is taken for deleted'
        log.warn({ err: error }, message)
      }
      ever.add(folder)
      if (!unread.has(folder)) tell()
      const seen = unread.get(folder) ?? { attempts: 0, isWaiting: false }
      unread.set(folder, seen)
      if (seen.isWaiting) return
      seen.isWaiting = true
      later(retryMs(seen.attempts++), async () => {
        seen.isWaiting = false
        if (unread.has(folder)) look(folder)
      })
    },
    noting: (list) => async (root, folder, pause) => {
      const listing = await list(root, folder, pause)
      remove(folder)
      return listing
    },
    gone: remove,
    now: () => [...unread.keys()],
    ever: () => [...ever],
  }
}
