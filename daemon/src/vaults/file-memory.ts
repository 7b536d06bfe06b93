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

/** Removes the files that no longer exist from the memory; ends with the signal. */
export async function forgetGone(manifest: Manifest, memory: FileMemory, signal: AbortSignal): Promise<void> {
  const pause = slices(signal)
  for (const path of manifest.forgotten()) {
    memory.remove(path)
    await pause()
  }
}
