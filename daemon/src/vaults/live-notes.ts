import type { WrittenLines } from './vault-change.ts'

/**
 * The live sessions of a vault, as seen by the parts below them. Code that changes a file saves its live session first,
 * so that the file contains what people have typed. Code that reads a note sees that text too.
 */
export type LiveNotes = {
  /** The text that the file of a note would have if it were saved now; undefined when nothing is unsaved. */
  unsaved(path: string, file: string): string | undefined
  /** The authors of those lines of that text that are in no file yet. */
  written(path: string, file: string): WrittenLines | undefined
  /**
   * The notes with text that is in no file yet. `version` identifies the state of the text; reading it may take a
   * moment.
   */
  unsavedNotes(): readonly { path: string; version: string; text(): string }[]
  /** Saves unsaved text at a path. Runs inside the queue of the path. */
  save(path: string): Promise<void>
  /** Saves all unsaved text. Must run while nothing else changes the vault. */
  saveAll(): Promise<void>
  /** Starts to save every unsaved note at once; resolves when all are in their files, or fails. */
  flush(): Promise<void>
  /** Resolves when a kill no longer undoes what happened to the open notes so far, such as the end of a session. */
  logged(): Promise<void>
  close(): Promise<void>
}
