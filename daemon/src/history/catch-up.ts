import type { Log } from '@svc/shared/kit/log.ts'
import { isMassDisappearance } from '../watch/mass-disappearance.ts'
import { slices, type Pause } from '../watch/slices.ts'
import { commitMessage, FOUND, renameTrailer, type Rename } from './commit-message.ts'
import { outsideAuthor } from '../entry/author.ts'
import type { Commit } from './import-stream.ts'
import type { PendingChanges } from './pending-changes.ts'
import type { Repository } from './repository.ts'

/**
 * Where notes are found: all that are known, by path and name of their content, and the bytes of one. `mayBeThere` says
 * of a path without a known note whether something lies there all the same that could not be read.
 */
export type NoteSource = {
  notes(signal: AbortSignal): Promise<ReadonlyMap<string, string>>
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

const FILES_AT_ONCE = 500
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
  const { repository, pending, source, seenGone, seconds, log, signal } = options
  const wasEmpty = repository.isEmpty()
  const notes = await source.notes(signal)
  const pause = slices(signal)
  const committed = await repository.notes(pause)
  const missing: string[] = []
  const unseen: string[] = []
  for (const path of committed.keys()) {
    if (!notes.has(path) && !pending.has(path) && !source.mayBeThere(path))
      (seenGone.has(path) ? missing : unseen).push(path)
    await pause()
  }
  const isDoubtful = isMassDisappearance({ gone: unseen.length, known: committed.size })
  if (isDoubtful) log.warn({ missing: unseen.length }, 'many notes of the history are gone; they are kept in it')
  else for (const path of unseen) missing.push(path)
  const gone = new Set(missing)
  const changed: [string, string][] = []
  for (const [path, blob] of notes) {
    if (committed.get(path) !== blob && !pending.has(path)) changed.push([path, blob])
    await pause()
  }
  const renames = await findRenames({ gone, committed, changed, pause })

  const first = wasEmpty ? FOUND : 'Changes made outside'
  let batch: { files: Commit['files']; renames: Rename[]; bytes: number } = { files: [], renames: [], bytes: 0 }
  const write = async () => {
    const { files, renames: made } = batch
    batch = { files: [], renames: [], bytes: 0 }
    if (files.length === 0) return
    const message = commitMessage(first, made.map(renameTrailer))
    await repository.write([{ author: outsideAuthor, at: seconds, message, files }])
  }

  let isComplete = true
  for (const [path] of changed) {
    signal.throwIfAborted()
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
  for (const path of gone) {
    signal.throwIfAborted()
    batch.files.push({ path, bytes: undefined })
    if (batch.files.length >= FILES_AT_ONCE) await write()
  }
  await write()
  signal.throwIfAborted()
  if (changed.length > 0 || missing.length > 0) await repository.tidy()
  return isComplete
}

// The git hash of empty content.
const EMPTY = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'

/** Notes that are new under one path, with the content of a note that is gone from another path. */
async function findRenames({
  gone,
  committed,
  changed,
  pause,
}: {
  gone: ReadonlySet<string>
  committed: ReadonlyMap<string, string>
  changed: readonly (readonly [string, string])[]
  pause: Pause
}): Promise<Map<string, Rename>> {
  const byContent = new Map<string | undefined, string>()
  for (const path of gone) {
    byContent.set(committed.get(path), path)
    await pause()
  }
  byContent.delete(EMPTY)
  const renames = new Map<string, Rename>()
  for (const [to, blob] of changed) {
    const from = committed.has(to) ? undefined : byContent.get(blob)
    byContent.delete(blob)
    if (from !== undefined) renames.set(to, { from, to })
    await pause()
  }
  return renames
}
