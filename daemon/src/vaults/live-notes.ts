import { identityKey } from '../files/vault-path.ts'
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
  /** Saves all unsaved text, as far as possible. Must run while nothing else changes the vault. */
  saveAll(): Promise<FailedSaves>
  /** Starts to save every unsaved note at once; resolves when each save has succeeded or failed. */
  flush(): Promise<FailedSaves>
  /** Resolves when a kill no longer undoes what happened to the open notes so far, such as the end of a session. */
  logged(): Promise<void>
  close(): Promise<void>
}

/** Why text could not be saved, by the path of its note. The text stays in the live session, which saves it later. */
export type FailedSaves = ReadonlyMap<string, unknown>

/**
 * Fails like the save of a note at or below one of these paths, if one has failed: a change of that note would miss the
 * unsaved text. A change of other notes does not have to wait until the text can be saved.
 */
export function refuseUnsaved(failed: FailedSaves, paths: Iterable<string>): void {
  if (failed.size === 0) return
  const touched = new Set(Array.from(paths, identityKey))
  for (const [path, error] of failed) {
    const segments = identityKey(path).split('/')
    if (segments.some((_, depth) => touched.has(segments.slice(0, depth + 1).join('/')))) throw error
  }
}
