import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../entry/actor.ts'
import { sameStamp, type FileStamp } from '../files/file-stamp.ts'
import { nextTurn } from './decode-note.ts'
import { syncFile } from '../files/sync-file.ts'
import { stageFile } from '../files/stage-file.ts'
import { attemptAt, attemptInQueue } from '../vaults/attempt-at.ts'
import { checkName, newFilePath } from '../vaults/new-names.ts'
import { putFile } from '../vaults/put-file.ts'
import type { VaultPath } from '../files/vault-path.ts'
import type { WrittenLines } from '../vaults/vault-change.ts'
import type { Vault } from '../vaults/vault.ts'
import { baselineOf } from '../files/baseline.ts'
import type { RecentVersions } from './recent-versions.ts'
import { findNote, type StoredNote } from './stored-note.ts'

/** A change of one note: `next` gets the present note (or undefined) and returns its new text, or fails. */
export type NoteChange = {
  vault: Vault
  path: VaultPath
  by: Actor
  tool: string
  next(current: StoredNote | undefined): string | Promise<string>
  /** Fails with `note_exists` where there is a file that is not a note, or is too large for one. */
  mustBeNew?: true
  /** The authors of the lines of the text that `next` returned last, if `by` did not write all of them. */
  written?(): WrittenLines
}

export type WrittenNote = { path: string; baseline: string; created: boolean }

/** The only writer of notes. What it returns as written survives a kill and a power loss. */
export type WriteNote = (change: NoteChange) => Promise<WrittenNote>

type Deps = { versions: RecentVersions; maxNoteBytes: number }

type MakeRoom = (bytes: number) => Promise<void>

/**
 * `write` waits for its turn in the queue of the path. `inQueue`, for live sessions only, is called inside that queue. It
 * may use the reserve of the volume, because its text was accepted before: otherwise an open note could not be deleted.
 */
export function createWriteNote({ versions, maxNoteBytes }: Deps): { write: WriteNote; inQueue: WriteNote } {
  async function attempt(change: NoteChange, makeRoom: MakeRoom): Promise<WrittenNote | undefined> {
    const { vault, path, by, tool, next, written, mustBeNew } = change
    const current = await findNote({ vault, path, maxNoteBytes }).catch((error: unknown) => {
      throw mustBeNew && isOtherFile(error) ? otherFileExists(vault.manifest.onDisk(path), error) : error
    })
    if (current) versions.remember({ vault, path: current.path, baseline: current.baseline }, current.text)
    const text = await next(current)
    if (!text.isWellFormed())
      throw fail('invalid_request', [{ path: 'content', message: 'is not well-formed Unicode' }])
    await nextTurn(text.length)
    const bytes = Buffer.from(text, 'utf8')
    if (bytes.length > maxNoteBytes) throw fail('payload_too_large', { maxBytes: maxNoteBytes })
    await nextTurn(bytes.length)

    const baseline = baselineOf(bytes)
    // Record an outside edit under its own author before it is overwritten.
    if (current && !isSeen(vault, current)) await vault.recheckInQueue(current.path)
    if (current && current.bytes.equals(bytes)) {
      // A save that failed after its rename is retried, or another program wrote the same: neither needs to be durable.
      if (!(await syncFile(vault.files, current.path))) return undefined
      await vault.audit.record({ by, tool, path: current.path, before: baseline, after: baseline })
      return { path: current.path, baseline, created: false }
    }

    const target = current?.path ?? (await newFilePath(vault, path))
    const [checked] = await Promise.all([current ? undefined : checkName(vault, target), makeRoom(bytes.length)])
    const staged = await stageFile(vault.files, bytes)
    let stamp: FileStamp | undefined
    try {
      const put = {
        vault,
        path: target,
        staged,
        over: current,
        checked,
        by,
        tool,
        before: current?.baseline,
        bytes,
        written: written?.(),
      }
      stamp = await putFile({ ...put, afterOf: () => baseline })
    } finally {
      const discarded = staged.discard()
      // The writer of a stored note does not wait until the old file is freed.
      if (!stamp) await discarded
    }
    if (!stamp) return undefined
    versions.remember({ vault, path: target, baseline }, text)
    return { path: target, baseline, created: current === undefined }
  }

  function isSeen(vault: Vault, { path, stamp }: StoredNote): boolean {
    const known = vault.manifest.file(path)
    return known !== undefined && sameStamp(known.stamp, stamp)
  }

  return {
    write: (change) => attemptAt(change.vault, change.path, () => attempt(change, change.vault.files.makeRoom)),
    inQueue: (change) => attemptInQueue(change.path, () => attempt(change, async () => {})),
  }
}

/** True for what `findNote` says of a file that is not a note, or is too large for one. */
const isOtherFile = (error: unknown): boolean => isFailure(error, 'not_found') || isFailure(error, 'payload_too_large')

const otherFileExists = (path: string, cause: unknown) =>
  fail('note_exists', { path, next: 'Choose another path.' }, { message: 'A file with this path exists.', cause })
