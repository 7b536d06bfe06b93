import { isMarkdownName } from '../files/vault-path.ts'
import type { Manifest } from '../watch/manifest.ts'
import { slices } from '../watch/slices.ts'
import type { Walk } from '../watch/first-listing.ts'

/**
 * Remembers the files of a vault across restarts, so that opening it compares stamps instead of reading notes. It
 * passes the files that it remembers to the manifest.
 */
export type FileMemory = {
  /** Opens what an earlier run has left, if it is usable. */
  open(): Promise<unknown>
  /**
   * Starts reading the vault if nothing of it is remembered; `rebuild` then waits for that. It may be called
   * repeatedly, and before the listing is complete.
   */
  begin(): void
  /** Reads all files of the vault again, outside the daemon process. */
  rebuild(): Promise<unknown>
  /** Compares a large vault with what is remembered, outside the daemon process. */
  walk: Walk
  /** A remembered file is gone. */
  remove(path: string): void
  /** Aborts work in progress. */
  stop(): void
}

// With this many notes, it pays to start reading before the rest is listed: listing a large vault takes seconds.
const MANY = 2000

/** Counts the notes of a vault as their names are listed, and starts to read them once there are many. */
export function beginEarly(memory: Pick<FileMemory, 'begin'>): (names: Iterable<string>) => void {
  let notes = 0
  return (names) => {
    for (const name of names) if (isMarkdownName(name)) notes++
    if (notes > MANY) memory.begin()
  }
}

/** Removes files that no longer exist from the memory; stops when the signal aborts. */
export async function forgetGone(manifest: Manifest, memory: FileMemory, signal: AbortSignal): Promise<void> {
  const pause = slices(signal)
  for (const path of manifest.forgotten()) {
    memory.remove(path)
    await pause()
  }
}
