import type { Evidence } from '../audit/evidence.ts'
import type { Actor } from '../entry/actor.ts'
import { isSameFile, type FileStamp } from '../files/file-stamp.ts'
import type { WrittenLines } from './vault-change.ts'

/** A change that failed when it may have been made already: it could not be made durable, nor be undone. */
export type DoubtfulChange = { path: string; by: Actor; evidence: Evidence; written?: WrittenLines | undefined }

/** Who made the changes that failed, until the next look at their files. */
export type DoubtfulChanges = {
  add(change: DoubtfulChange): void
  /** The change that put the file there which is seen now, or that took it away if there is none. */
  find(path: string, seen: FileStamp | undefined): DoubtfulChange | undefined
  /** The file was looked at: whatever happens to it from here on is not of that change. */
  settled(path: string): void
}

/** Pure but for its own memory. */
export function createDoubtfulChanges(): DoubtfulChanges {
  const byPath = new Map<string, DoubtfulChange>()
  return {
    add: (change) => void byPath.set(change.path, change),
    find(path, seen) {
      const change = byPath.get(path)
      return change && shows(change, seen) ? change : undefined
    },
    settled: (path) => void byPath.delete(path),
  }
}

function shows({ path, evidence: { at, is } }: DoubtfulChange, seen: FileStamp | undefined): boolean {
  // A change whose evidence lies elsewhere has moved the file there.
  if (at !== path || is === 'absent') return seen === undefined
  return seen !== undefined && is !== 'folder' && isSameFile(is, seen)
}
