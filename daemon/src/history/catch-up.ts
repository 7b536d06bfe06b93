import type { Log } from '@svc/shared/kit/log.ts'
import { isMassDisappearance } from '../watch/mass-disappearance.ts'
import type { KnownNotes } from '../watch/known-notes.ts'
import { slices, type Pause } from '../watch/slices.ts'
import { commitMessage, FOUND, renameTrailer, type Rename } from './commit-message.ts'
import { outsideAuthor } from '../entry/author.ts'
import type { Commit } from './import-stream.ts'
import type { PendingChanges } from './pending-changes.ts'
import type { Repository } from './repository.ts'

/**
 * Where notes are found: all that are known, and the bytes of one. `mayBeThere` says of a path without a known note
 * whether something lies there all the same that could not be read.
 */
export type NoteSource = {
  notes(): Promise<KnownNotes>
  read(path: string): Promise<Buffer | undefined>
  mayBeThere(path: string): boolean
}

type Options = {
  repository: Repository
  pending: Pick<PendingChanges, 'has'>
  source: NoteSource
  /** Notes that somebody was seen to delete: they are gone, however many they are. */
  seenGone: ReadonlySet<string>
  seconds: number
  log: Log
  /** Ends it after the commit that is being written: the next start catches up with the rest. */
  signal: AbortSignal
}

const FILES_AT_ONCE = 2000
const BYTES_AT_ONCE = 8 * 1024 * 1024

/**
 * Commits what differs between the notes and their newest revisions. What a pending change will commit anyway is left to
 * it, since that one knows its author. Returns false when it was ended or a note could not be read.
 */
export async function catchUp(options: Options): Promise<boolean> {
  try {
    return await compare(options)
  } catch (error) {
    if (options.signal.aborted) return false
    throw error
  }
}

async function compare(options: Options) {
  const { repository, pending, source, seconds, signal } = options
  const wasEmpty = repository.isEmpty()
  const notes = await source.notes()
  const gone = await goneNotes(options, notes)
  const renames = await findRenames({ gone, notes, pending, pause: slices(signal) })

  const first = wasEmpty ? FOUND : 'Changes made outside'
  const before = repository.writes()
  let batch: { files: Commit['files']; renames: Rename[]; bytes: number } = { files: [], renames: [], bytes: 0 }
  const write = async () => {
    const { files, renames: made } = batch
    batch = { files: [], renames: [], bytes: 0 }
    if (files.length === 0) return
    const message = commitMessage(first, made.map(renameTrailer))
    await repository.write([{ author: outsideAuthor, at: seconds, message, files }])
  }

  let isComplete = true
  const pause = slices(signal)
  for (const { path } of notes.others()) {
    await pause()
    signal.throwIfAborted()
    if (pending.has(path)) continue
    const bytes = await source.read(path)
    if (!bytes) isComplete = false
    // Somebody changed it meanwhile: that change is recorded, with its author.
    if (!bytes || pending.has(path)) continue
    const rename = renames.get(path)
    if (rename && gone.delete(rename.from)) {
      batch.files.push({ path: rename.from, bytes: undefined })
      batch.renames.push(rename)
    }
    batch.files.push({ path, bytes })
    batch.bytes += bytes.length
    if (batch.files.length >= FILES_AT_ONCE || batch.bytes >= BYTES_AT_ONCE) await write()
  }
  for (const path of gone.keys()) {
    signal.throwIfAborted()
    batch.files.push({ path, bytes: undefined })
    if (batch.files.length >= FILES_AT_ONCE) await write()
  }
  await write()
  signal.throwIfAborted()
  if (repository.writes() > before) await repository.tidy()
  return isComplete
}

/**
 * The notes of the history that are gone, with their last content. Every other note of the history has then been met. Neither
 * list is ever held as a whole: an idle daemon would keep the memory that two lists of a large vault take.
 */
async function goneNotes(
  { repository, pending, source, seenGone, log, signal }: Options,
  notes: KnownNotes,
): Promise<Map<string, string>> {
  const gone = new Map<string, string>()
  const unseen = new Map<string, string>()
  let committed = 0
  await repository.eachNote((note) => {
    const { path, blob } = note
    committed++
    if (notes.meet(note) !== 'unknown' || pending.has(path) || source.mayBeThere(path)) return
    ;(seenGone.has(path) ? gone : unseen).set(path, blob)
  })
  signal.throwIfAborted()
  if (isMassDisappearance({ gone: unseen.size, known: committed }))
    log.warn({ missing: unseen.size }, 'many notes of the history are gone; they are kept in it')
  else for (const [path, blob] of unseen) gone.set(path, blob)
  return gone
}

// The git hash of empty content.
const EMPTY = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'

type Renaming = {
  gone: ReadonlyMap<string, string>
  notes: KnownNotes
  pending: Options['pending']
  pause: Pause
}

/** Notes that are new under one path, with the content of a note that is gone from another path. */
async function findRenames({ gone, notes, pending, pause }: Renaming): Promise<Map<string, Rename>> {
  const renames = new Map<string, Rename>()
  if (gone.size === 0) return renames
  const byContent = new Map<string, string>()
  for (const [path, blob] of gone) {
    byContent.set(blob, path)
    await pause()
  }
  byContent.delete(EMPTY)
  for (const { path: to, blob, isNew } of notes.others()) {
    await pause()
    if (pending.has(to)) continue
    const from = isNew ? byContent.get(blob) : undefined
    byContent.delete(blob)
    if (from !== undefined) renames.set(to, { from, to })
  }
  return renames
}
