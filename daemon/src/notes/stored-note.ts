import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { FileAccess } from '../files/disk/file-access.ts'
import type { FileStamp } from '../files/file-stamp.ts'
import { readWhole } from '../files/open-file.ts'
import { readNow } from '../files/read-now.ts'
import { nextTurn, noteTextOf } from './decode-note.ts'
import { isMarkdownName, type VaultPath } from '../files/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import { whenWritten } from '../watch/emptied-notes.ts'
import { baselineOf } from '../files/baseline.ts'

/** A note as it is on disk. `path` is its name there, which may differ from the requested one in normal form. */
export type StoredNote = {
  path: string
  bytes: Buffer
  text: string
  baseline: string
  stamp: FileStamp
  access: FileAccess
}

/** Notes above this size are streamed where that is possible, and only a few of them are read at the same time. */
export const LARGE_NOTE_BYTES = 256 * 1024

type Place = { vault: Vault; path: VaultPath; maxNoteBytes: number }

/**
 * Reads a note, or returns undefined if there is no such file. A file that is not a note is `not_found`. Waits a
 * moment for a file that another program has emptied, probably to write it.
 */
export async function findNote({ vault, path, maxNoteBytes }: Place): Promise<StoredNote | undefined> {
  if (!isMarkdownName(path))
    throw fail('invalid_request', [{ path: 'path', message: 'is not the path of a note: it must end in .md' }])
  const onDisk = vault.manifest.onDisk(path)
  try {
    const { bytes, stamp, access } = await readWhenWritten(vault, onDisk, maxNoteBytes)
    await nextTurn(bytes.length)
    const text = noteTextOf(onDisk, bytes)
    if (text === undefined) throw fail('not_found', { reason: 'The file is not UTF-8, so it is an attachment.' })
    await nextTurn(bytes.length)
    const baseline = baselineOf(bytes)
    await nextTurn(bytes.length)
    return { path: onDisk, bytes, text, baseline, stamp, access }
  } catch (error) {
    if (!isFailure(error, 'not_found') || error.details !== undefined) throw error
    await vault.files.mounted.refuseAway(onDisk)
    return undefined
  }
}

/** A file of a vault, read in the way that is quickest on its disk. A file above the limit is `payload_too_large`. */
export async function readNoteFile({ files, layout }: Vault, path: string, maxBytes: number) {
  const small = files.isLocal ? readNow(layout.root, path) : undefined
  return small && small.bytes.length <= maxBytes ? small : readWhole(layout.root, path, maxBytes)
}

/** Like `readNoteFile`, but waits a moment for a file that another program has emptied, probably to write it. */
export const readWhenWritten = (vault: Vault, path: string, maxBytes: number) =>
  whenWritten(
    () => readNoteFile(vault, path, maxBytes),
    () => vault.manifest.file(path)?.stamp,
  )

/** Reads a note as it would be if it were saved now: with text that people have typed and that is not saved yet. */
export async function currentNote(place: Place): Promise<StoredNote> {
  const note = await storedNote(place)
  const text = place.vault.live.unsaved(note.path, note.text)
  if (text === undefined) return note
  const bytes = Buffer.from(text, 'utf8')
  return { ...note, text, bytes, baseline: baselineOf(bytes) }
}

/** Reads a note as it is on disk, or fails with `not_found`. */
export async function storedNote(place: Place): Promise<StoredNote> {
  const note = await findNote(place)
  if (!note) throw fail('not_found')
  return note
}
