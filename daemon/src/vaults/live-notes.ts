import type { WrittenLines } from './vault-change.ts'

/**
 * The live sessions of a vault, as seen by the parts below them. Whoever changes a file has its live session saved
 * first, so that the file holds what people have typed; whoever reads a note sees that text too.
 */
export type LiveNotes = {
  /** The text that the file of a note would have if it were saved now; undefined when nothing is unsaved. */
  unsaved(path: string, file: string): string | undefined
  /** Who wrote the lines of that text which are in no file yet. */
  written(path: string, file: string): WrittenLines | undefined
  /** The notes with text that is in no file yet. `version` names the state of the text; reading it may take a moment. */
  unsavedNotes(): readonly { path: string; version: string; text(): string }[]
  /** Saves what is unsaved at a path. Runs inside the queue of the path. */
  save(path: string): Promise<void>
  /** Saves what is unsaved anywhere. Runs while nothing else does. */
  saveAll(): Promise<void>
  /** Begins to save every unsaved note at once; resolves when all are in their files, or fails. */
  flush(): Promise<void>
  close(): Promise<void>
}
