import { outsideAuthor } from '../entry/author.ts'
import type { PendingChanges } from './pending-changes.ts'
import type { Change } from './pending-commits.ts'

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

/**
 * True for a change that need not wait in memory: so many files are changed outside at once that the notes are compared
 * with the history instead.
 */
export function isLeftOut(
  { author, bytes }: Pick<Change, 'author' | 'bytes'>,
  pending: PendingChanges,
  limits: MemoryLimits,
): boolean {
  if (author.id !== outsideAuthor.id) return false
  return pending.bytes() + (bytes?.length ?? 0) > limits.outsideBytes || pending.count() >= limits.outside
}

/** Drops the oldest changes beyond the limit. Returns whether there were any. */
export function shedOldest(pending: PendingChanges, limits: MemoryLimits): boolean {
  if (pending.bytes() <= limits.bytes) return false
  for (const commit of pending.due(Number.POSITIVE_INFINITY))
    if (pending.bytes() > limits.bytes) pending.written([commit])
  return true
}
