import { isMarkdownName } from '../files/vault-path.ts'
import type { Manifest } from '../watch/manifest.ts'
import { slices } from '../watch/slices.ts'
import type { Walk } from '../watch/first-listing.ts'

/**
 * What remembers the files of a vault over a restart, so that opening it compares stamps instead of reading notes. It
 * tells the manifest of the files that it knows.
 */
export type FileMemory = {
  /** Opens what an earlier run has left, if it can be used. */
  open(): Promise<unknown>
  /**
   * Starts reading the vault if nothing of it is remembered: `rebuild` then waits for that. It may be called while the vault
   * is still listed, any number of times.
   */
  begin(): void
  /** Reads all files of the vault anew, beside the daemon. */
  rebuild(): Promise<unknown>
  /**
   * Compares a large vault with what is remembered, beside the daemon.
   */
  walk: Walk
  /** Tells that a remembered file is gone. */
  remove(path: string): void
  /** Gives up what is under way. */
  stop(): void
}

// So many notes are worth it to begin reading before the rest is listed: listing a large vault takes seconds.
const MANY = 2000

/** Counts the notes of a vault as their names are listed, and has the memory begin to read once they are many. */
export function beginEarly(memory: Pick<FileMemory, 'begin'>): (names: Iterable<string>) => void {
  let notes = 0
  return (names) => {
    for (const name of names) if (isMarkdownName(name)) notes++
    if (notes > MANY) memory.begin()
  }
}

/** Removes the files that no longer exist from the memory; ends with the signal. */
export async function forgetGone(manifest: Manifest, memory: FileMemory, signal: AbortSignal): Promise<void> {
  const pause = slices(signal)
  for (const path of manifest.forgotten()) {
    memory.remove(path)
    await pause()
  }
}
