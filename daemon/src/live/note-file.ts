import type { Actor } from '../entry/actor.ts'
import type { WrittenLines } from '../vaults/vault-change.ts'

/** A note file as it is now. */
export type FileState = { path: string; text: string; baseline: string }

/** A note file that was seen. Its text is read again where it is needed. */
export type SeenFile = Omit<FileState, 'text'>

/** What a live session needs of the files of its vault. */
export type NoteFiles = {
  /** Runs work on one path after all earlier changes of it. */
  inQueue<T>(path: string, work: () => Promise<T>): Promise<T>
  /** The path on disk for a requested path, which may differ from it in normal form. */
  onDisk(path: string): string
  /** Whether a file is known at exactly this path. */
  isKnown(path: string): boolean
  /** The note at a path, or undefined. */
  find(path: string): Promise<FileState | undefined>
  /**
   * Writes the text that `next` returns for the current file. `next` is called again if another program writes first.
   * Returns the baseline of the file, which is durable. Runs inside the queue of the path.
   */
  write(change: FileChange): Promise<string>
  /** Fails with `storage_full` while the volume has no room but its reserve, as of a moment ago. */
  refuseWhenFull(): Promise<void>
  /** Puts a text whose note is gone into the trash. */
  rescue(lost: { path: string; text: string; by: Actor }): Promise<void>
}

export type FileChange = {
  path: string
  by: Actor
  next(current: FileState | undefined): Promise<string>
  /** The authors of the lines of the text that `next` returned last. */
  written(): WrittenLines
}
