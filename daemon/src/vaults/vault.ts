import type { AuditLog } from '../audit/audit-log.ts'
import type { Actor } from '../entry/actor.ts'
import type { FileRoot } from '../files/file-root.ts'
import type { FileStamp } from '../files/file-stamp.ts'
import type { PathQueue } from '../files/path-queue.ts'
import type { Manifest } from '../watch/manifest.ts'
import type { DoubtfulChange } from './doubtful-changes.ts'
import type { LiveNotes } from './live-notes.ts'
import type { WrittenLines } from './vault-change.ts'
import type { VaultLayout } from './vault-layout.ts'

/** A file that the daemon itself has just put in place. `bytes` only for files that may be notes. */
export type OwnWrite = {
  path: string
  stamp: FileStamp
  bytes?: Buffer
  created: boolean
  by: Actor
  written?: WrittenLines | undefined
}

/** The folders and files that move or go, by their paths before: each folder before those in it. */
export type Moving = { folders: readonly string[]; files: readonly string[] }

/**
 * What a move has changed: files that lie at other paths now, and files that were rewritten, by their paths now. `at` is
 * where a file lies if it has moved on from `to` already, `above` the folders that were made for `to`.
 */
export type MadeMove = Moving & {
  from: string
  to: string
  at?: string
  above?: readonly string[]
  rewritten: readonly string[]
  by: Actor
}

/** An open vault: what handlers get instead of an id. */
export type Vault = {
  id: string
  identity: string
  displayName: string
  createdAt: string
  layout: VaultLayout
  /** The root of the vault, for those who change files below it. */
  files: FileRoot
  /** Every change of a file runs in here, by `identityKey` of its path. */
  queue: PathQueue
  manifest: Manifest
  audit: AuditLog
  /** The notes that are open for joint editing. */
  live: LiveNotes
  /** Resolves when the files of the vault are listed. */
  listed: Promise<void>
  /** The folders whose disk is away: what is known of them is kept. */
  away(): readonly string[]
  /** True when every note that was there at opening has been read. */
  isIndexed(): boolean
  /** Looks at a file again, so that what is known of it is as on disk. */
  recheck(path: string): Promise<void>
  /** As `recheck`, inside the queue of the path. */
  recheckInQueue(path: string): Promise<void>
  /** A change has failed that may have been made: the next look at its file tells by whom, if so. */
  doubt(change: DoubtfulChange): void
  /** Tells the followers of a file that is in place. Runs inside the queue of its path. */
  wrote(write: OwnWrite): Promise<void>
  /** A file that the daemon has removed; `deletion` names that in the history. */
  removed(removal: { path: string; by: Actor; deletion?: string }): void
  /** A folder that the daemon has made, with those above it. */
  madeFolder(path: string, by: Actor): void
  /** A folder that the daemon has removed with all that was in it. Runs while nothing else does. */
  removedFolder(removal: Moving & { by: Actor; deletion: string }): Promise<void>
  /** A folder that the daemon has removed, since nothing was in it. */
  removedEmptyFolder(path: string, by: Actor): void
  /** A folder that the daemon has put back with all that is in it. Runs while nothing else does. */
  restoredFolder(path: string, by: Actor): Promise<void>
  /** What goes with a folder. To be asked before it moves or is removed: the watch may see it gone before that is told. */
  below(folder: string): Promise<Moving>
  /** A file or folder that the daemon has moved, with the files that it has rewritten for that. Runs while nothing else does. */
  moved(move: MadeMove): Promise<void>
  /** A file that the daemon has put back without reading it. Runs inside the queue of its path. */
  restored(path: string, by: Actor): Promise<void>
  /** Resolves when what was accepted before is done and durable; returns how many pieces of work were waited for. */
  flush(): Promise<number>
  /** The daemon is about to stop: gives up work that the next start does as well. Requests are still served. */
  stopping(): void
  close(): Promise<void>
}
