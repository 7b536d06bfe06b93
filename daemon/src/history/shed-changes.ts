import { outsideAuthor } from '../entry/author.ts'
import type { PendingChanges } from './pending-changes.ts'
import type { Recorded } from './pending-commits.ts'

/** Limits for the changes that wait in memory for git. */
export type MemoryLimits = {
  /** Bytes of notes while git cannot write. */
  bytes: number
  /** Bytes and number of changes by others, who may write files faster than git takes them. */
  outsideBytes: number
  outside: number
}

export const memoryLimits: MemoryLimits = {
  bytes: 64 * 1024 * 1024,
  outsideBytes: 16 * 1024 * 1024,
  outside: 2000,
}

/** Decides which changes by other programs need not wait in memory. */
export type OutsideLimit = Pick<PendingChanges, 'renamesBegin' | 'renamesEnd'> & {
  isRenaming(): boolean
  /**
   * True for a change that need not wait: so many files are changed outside at once that the notes are compared with the
   * history instead.
   */
  isLeftOut(change: Recorded): boolean
}

export function limitOutside(pending: PendingChanges, limits: MemoryLimits): OutsideLimit {
  let isRenaming = false
  // The contents of the new notes that were left out since the renames began.
  const arrived = new Set<string>()

  function isBeyond(change: Recorded, isHalf: boolean): boolean {
    const bytes = change.bytes?.length ?? 0
    if (pending.bytes() + bytes > limits.outsideBytes) return !isHalf || bytes > 0
    // With its other half, it is still one revision.
    return pending.count() >= limits.outside && !isHalf
  }

  return {
    isRenaming: () => isRenaming,
    isLeftOut(change) {
      const { kind, blob, author } = change
      if (author.id !== outsideAuthor.id) return false
      const isHalf = pending.hasOtherHalf(change)
      // The comparison recognizes a rename only by both halves.
      if (kind === 'deleted' && blob !== undefined && arrived.has(blob) && !isHalf) return true
      const isLeftOut = isBeyond(change, isHalf)
      if (isLeftOut && isRenaming && kind === 'created' && blob !== undefined) arrived.add(blob)
      return isLeftOut
    },
    renamesBegin() {
      isRenaming = true
      pending.renamesBegin()
    },
    renamesEnd() {
      isRenaming = false
      arrived.clear()
      pending.renamesEnd()
    },
  }
}

/** Drops the oldest changes beyond the limit. Returns whether there were any. */
export function shedOldest(pending: PendingChanges, limits: MemoryLimits): boolean {
  if (pending.bytes() <= limits.bytes) return false
  for (const commit of pending.due(Number.POSITIVE_INFINITY))
    if (pending.bytes() > limits.bytes) pending.written([commit])
  return true
}
