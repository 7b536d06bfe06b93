import type { Evidence } from '../audit/evidence.ts'
import type { Actor } from '../entry/actor.ts'
import { isSameFile, type FileStamp } from '../files/file-stamp.ts'
import type { WrittenLines } from './vault-change.ts'

/** A change that failed but may have been made: it could be neither made durable nor undone. */
export type DoubtfulChange = { path: string; by: Actor; evidence: Evidence; written?: WrittenLines | undefined }

/** The authors of failed changes, until the next look at their files. */
export type DoubtfulChanges = {
  add(change: DoubtfulChange): void
  /** The change that explains the file as it is seen now, or its absence. */
  find(path: string, seen: FileStamp | undefined): DoubtfulChange | undefined
  /** The file was read: later changes of it are not due to that change. */
  settled(path: string): void
}

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
  // A change with its evidence at another path has moved the file there.
  if (at !== path || is === 'absent') return seen === undefined
  return seen !== undefined && is !== 'folder' && isSameFile(is, seen)
}
