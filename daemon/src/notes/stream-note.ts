import type { Readable } from 'node:stream'
import { sameStamp } from '../files/file-stamp.ts'
import { openFile } from '../files/open-file.ts'
import type { VaultPath } from '../files/vault-path.ts'
import { fileBody } from '../http/file-body.ts'
import type { Vault } from '../vaults/vault.ts'
import { LARGE_NOTE_BYTES } from './stored-note.ts'

/** A note whose bytes can be sent as they are on disk. The caller reads the stream to its end or destroys it. */
export type NoteStream = { baseline: string; size: number; stream: Readable }

/**
 * Opens a large note for a stream, so that many readers of it take no memory. Returns undefined for another note: one
 * that is small, has unsaved text, or has changed since the daemon last read it.
 */
export async function openNoteStream(vault: Vault, path: VaultPath): Promise<NoteStream | undefined> {
  const { manifest, layout, live } = vault
  const onDisk = manifest.onDisk(path)
  const known = manifest.file(onDisk)
  // A smaller note is read in one go, which is faster.
  if (known?.facts?.kind !== 'note' || known.stamp.size <= LARGE_NOTE_BYTES) return undefined
  if (live.unsavedNotes().some((note) => note.path === onDisk)) return undefined
  await vault.files.mounted.refuseAway(onDisk)
  const { handle, stamp } = await openFile(layout.root, onDisk)
  // What is known may be of another state by now; the baseline is of the one before.
  if (!sameStamp(known.stamp, stamp) || !manifest.isAsKnown(onDisk, stamp)) {
    await handle.close()
    return undefined
  }
  const { size } = stamp
  return { baseline: known.facts.baseline, size, stream: fileBody(handle, { start: 0, end: size - 1 }) }
}
