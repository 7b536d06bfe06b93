import type { AuditLog } from '../audit/audit-log.ts'
import type { Actor } from '../entry/actor.ts'
import type { FileRoot } from '../files/file-root.ts'
import type { FileStamp } from '../files/file-stamp.ts'
import type { PathQueue } from '../files/path-queue.ts'
import type { Manifest } from '../watch/manifest.ts'
import type { DoubtfulChange } from './doubtful-changes.ts'
import type { LiveNotes } from './live-notes.ts'
import type { RestoredFrom, WrittenLines } from './vault-change.ts'
import type { VaultLayout } from './vault-layout.ts'

/** A file that the daemon itself has just written. `bytes` only for files that may be notes. */
export type OwnWrite = {
  path: string
  stamp: FileStamp
  bytes?: Buffer
  created: boolean
  /** The content of a note that it has replaced. */
  overwritten?: Buffer | undefined
  by: Actor
  written?: WrittenLines | undefined
}

/** The folders and files to move or remove, by their paths before: each folder before its content. */
export type Moving = { folders: readonly string[]; files: readonly string[] }

/** Reads the old content of every note in which a move has rewritten links, by its path before the move. */
export type Originals = ReadonlyMap<string, () => Promise<Buffer | undefined>>

/**
 * What a move has changed: the moved files and the rewritten ones, both by their new paths. `at` is the path of a file
 * that has moved on from `to` already; `above` are the folders that were created for `to`. Without `originals`, the
 * contents before the move are not known.
 */
export type MadeMove = Moving & {
  from: string
  to: string
  at?: string
  above?: readonly string[]
  rewritten: readonly string[]
  originals?: Originals
  by: Actor
}

/** A file or folder that is back, and where it was before its deletion if that was another path. */
export type Restoration = { path: string; by: Actor; restored?: RestoredFrom | undefined }

/** An open vault. Handlers get it instead of an id. */
export type Vault = {
  id: string
  identity: string
  displayName: string
  createdAt: string
  layout: VaultLayout
  /** The root of the vault, for code that changes files below it. */
  files: FileRoot
  /** Every change of a file runs in this queue, under the `identityKey` of its path. */
  queue: PathQueue
  manifest: Manifest
  audit: AuditLog
  /** The notes that are open for joint editing. */
  live: LiveNotes
  /**
   * Resolves when the files of the vault have been listed. Rejects while its folder cannot be listed: then get it again
   * for the next attempt.
   */
  readonly listed: Promise<void>
  /** The folders whose disk is away: what is known of them is kept. */
  away(): readonly string[]
  /** True when every note that was there at opening and could be read has been read. */
  isIndexed(): boolean
  /** The files and folders that could not be read yet. They are tried again. */
  unread(): string[]
  /** Compares everything with the disk and publishes the differences. Not inside the queue, which that needs. */
  look(): Promise<void>
  /** Reads a file again and updates what is known of it. */
  recheck(path: string): Promise<void>
  /** Like `recheck`, but the caller is inside the queue of the path. */
  recheckInQueue(path: string): Promise<void>
  /** Fails with `vault_closing` when another vault is in the folder of this one. */
  refuseReplaced(): Promise<void>
  /** A change failed but may have been made. If so, the next look at its file attributes it to its author. */
  doubt(change: DoubtfulChange): void
  /** Publishes a file that has been written. Runs inside the queue of its path. */
  wrote(write: OwnWrite): Promise<void>
  /**
   * Publishes a file that the daemon removed, to the trash or, if `isErased`, for good; `deletion` identifies the
   * deletion in the history.
   */
  removed(removal: { path: string; by: Actor; deletion?: string; isErased?: true }): void
  /** Publishes a folder that the daemon created, and the folders created above it. */
  madeFolder(path: string, by: Actor): void
  /** Publishes a folder that the daemon removed with all its content. Must run while nothing else changes the vault. */
  removedFolder(removal: Moving & { by: Actor; deletion: string }): Promise<void>
  /** Publishes an empty folder that the daemon removed. */
  removedEmptyFolder(path: string, by: Actor): void
  /**
   * Publishes a folder that the daemon restored with all its content. Must run while nothing else changes the vault.
   */
  restoredFolder(restoration: Restoration): Promise<void>
  /**
   * Everything below a folder. Call it before the folder is moved or removed: the watch may notice that before it is
   * published.
   */
  below(folder: string): Promise<Moving>
  /**
   * Publishes a file or folder that the daemon moved, and the files whose links it rewrote. Must run while nothing else
   * changes the vault.
   */
  moved(move: MadeMove): Promise<void>
  /** Publishes a file that the daemon restored without reading it. Runs inside the queue of its path. */
  restored(restoration: Restoration): Promise<void>
  /** Resolves when everything accepted before is done and durable; returns how many pieces of work it waited for. */
  flush(): Promise<number>
  /** The daemon is about to stop: aborts work that the next start repeats. Requests are still served. */
  stopping(): void
  close(): Promise<void>
}
