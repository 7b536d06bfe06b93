import { setTimeout as sleep } from 'node:timers/promises'
import type { FileStamp } from '../files/file-stamp.ts'
import { createTimers } from './timers.ts'

// Far longer than a program takes from emptying a file to writing it, unless it stands still in between. A note that is
// emptied for good is read as empty that much later.
export const WRITTEN_WITHIN_MS = 3000
const LOOK_MS = 50

/**
 * Notes whose files another program has emptied a moment ago. Most programs empty a file before they write its new text.
 * Taken for a change, the empty file would be a revision of its own and would remove the lines in which others are
 * typing. So it counts only when it stays empty.
 */
export type EmptiedNotes = {
  /** True for a file that is probably being written; it is looked at again. `before` is what is known of the note. */
  isBeingWritten(path: string, before: FileStamp, now: FileStamp): boolean
  stop(): void
}

export function createEmptiedNotes(
  recheck: (path: string) => Promise<unknown>,
  withinMs: number = WRITTEN_WITHIN_MS,
): EmptiedNotes {
  const { later, clear } = createTimers()
  const waiting = new Map<string, NodeJS.Timeout>()
  /** Files that have been empty long enough. */
  const empty = new Set<string>()

  const wait = (path: string) =>
    later(withinMs, async () => {
      waiting.delete(path)
      empty.add(path)
      await recheck(path).catch(() => {})
      empty.delete(path)
    })

  return {
    isBeingWritten(path, before, now) {
      if (before.size === 0 || now.size > 0 || empty.has(path)) {
        clearTimeout(waiting.get(path))
        waiting.delete(path)
        return false
      }
      if (!waiting.has(path)) waiting.set(path, wait(path))
      return true
    },
    stop: clear,
  }
}

/**
 * A file, read again while it is empty and `known` says that it had a text: another program has probably emptied it and
 * is about to write it.
 */
export async function whenWritten<T extends { bytes: Uint8Array }>(
  read: () => Promise<T>,
  known: () => Pick<FileStamp, 'size'> | undefined,
  withinMs: number = WRITTEN_WITHIN_MS,
): Promise<T> {
  let file = await read()
  for (let waited = 0; file.bytes.length === 0 && known()?.size && waited < withinMs; waited += LOOK_MS) {
    await sleep(LOOK_MS)
    file = await read()
  }
  return file
}
