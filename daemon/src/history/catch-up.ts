import type { Log } from '@svc/shared/kit/log.ts'
import { isMassDisappearance } from '../watch/missing/mass-disappearance.ts'
import type { KnownNotes, NamedNote } from '../watch/known-notes.ts'
import { slices, type Pause } from '../watch/slices.ts'
import { commitMessage, FOUND, renameTrailer, type Rename } from './commit-message.ts'
import { findRenames } from './find-renames.ts'
import type { FoundNotes } from './found/found-files.ts'
import { foundNotesBeside } from './found/found-notes-process.ts'
import { foundNotesHere } from './found/found-notes-here.ts'
import type { PendingChanges } from './pending-changes.ts'
import type { Repository } from './repository.ts'

/**
 * The source of notes: all that are known, and the bytes of one. `mayBeThere` returns whether a path without a known
 * note may have a file that could not be read.
 */
export type NoteSource = {
  /** Where the notes are on disk and how large they may be; undefined if they are not on a disk. */
  vault: { root: string; maxNoteBytes: number } | undefined
  notes(): Promise<KnownNotes>
  read(path: string): Promise<Buffer | undefined>
  mayBeThere(path: string): boolean
}

type Options = {
  repository: Repository
  pending: Pick<PendingChanges, 'has'>
  source: NoteSource
  /** Notes that somebody was seen to delete: they count as gone, however many there are. */
  seenGone: ReadonlySet<string>
  seconds: number
  /** True for a new history: the notes were there before it. */
  isFirst: boolean
  log: Log
  /** Stops the comparison after the commit that is being written: the next start catches up with the rest. */
  signal: AbortSignal
}

const FILES_AT_ONCE = 2000
// Reading fewer notes than this takes less time than starting a process.
const WORTH_A_PROCESS = 500

/**
 * Commits the differences between the notes and their newest revisions. A difference that a pending change will commit
 * is left to that change, which knows its author. Returns false if it was aborted or a note could not be read.
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
  const { repository, pending, source, signal } = options
  // Also empty after a kill before its first commit.
  const isFirst = options.isFirst || repository.isEmpty()
  const notes = await source.notes()
  const missing = await missingNotes(options, notes)
  const pause = slices(signal)
  const renames = await findRenames({ missing: [missing.seenGone, missing.unseen], notes, pending, pause })
  const gone = goneNotes(options, { missing, renames })

  const before = repository.writes()
  const found = foundNotes(options, { isMany: hasMany(notes.others()), pause })
  try {
    const subject = isFirst ? FOUND : 'Changes made outside'
    const isComplete = await writeFound({ ...options, found, notes, gone, renames, subject, pause })
    signal.throwIfAborted()
    if (repository.writes() > before) await repository.tidy()
    return isComplete
  } finally {
    await found.close()
  }
}

function hasMany(notes: Iterable<unknown>): boolean {
  let count = 0
  for (const _ of notes) if (++count >= WORTH_A_PROCESS) return true
  return false
}

function foundNotes({ repository, source }: Options, { isMany, pause }: { isMany: boolean; pause: Pause }): FoundNotes {
  if (!isMany || !source.vault)
    return foundNotesHere({ read: source.read, write: (commit) => repository.write([commit]), pause })
  const { gitDir, searchPath, signal } = repository.place
  const beside = foundNotesBeside({ ...source.vault, gitDir, searchPath }, signal)
  let bytes = 0
  return {
    ...beside,
    async read(paths) {
      const found = await beside.read(paths)
      bytes = found.bytes
      return found
    },
    write: (commit) => repository.add(() => beside.write(commit), bytes),
  }
}

type Writing = Options & {
  found: FoundNotes
  notes: KnownNotes
  gone: Map<string, string>
  renames: ReadonlyMap<string, Rename>
  subject: string
  pause: Pause
}

/** Commits the differences. Returns false if a note could not be read. */
async function writeFound({
  repository,
  pending,
  seconds,
  signal,
  found,
  notes,
  gone,
  renames,
  subject,
  pause,
}: Writing) {
  const write = async (paths: readonly string[], { made = [], left }: { made?: Rename[]; left: readonly string[] }) => {
    if (paths.length === 0 && left.length === 0) return
    const message = commitMessage(subject, made.map(renameTrailer))
    const all = [...made.map(({ from }) => from), ...left]
    await found.write({ paths, gone: all, message, at: seconds, isFirst: repository.isEmpty() })
  }
  /** Deletions come before any note, because a folder may have taken the place of a deleted note. */
  const leave = async (paths: string[]) => {
    while (paths.length > FILES_AT_ONCE) {
      signal.throwIfAborted()
      await write([], { left: paths.splice(0, FILES_AT_ONCE) })
    }
    return paths
  }

  const renamed = new Set(Array.from(renames.values(), ({ from }) => from))
  let left = await leave([...gone.keys()].filter((path) => !renamed.has(path)))
  for (const path of gone.keys()) if (!renamed.has(path)) gone.delete(path)
  let isComplete = true
  for await (const group of groupsOf(notes.others(), { pending, pause }))
    for (let rest = group; rest.length > 0;) {
      signal.throwIfAborted()
      const { taken, missing } = await found.read(rest)
      if (missing.length > 0) isComplete = false
      const unread = new Set(missing)
      // A note that somebody changed meanwhile is left out: that change is recorded, with its author.
      const paths = rest.slice(0, taken).filter((path) => !unread.has(path) && !pending.has(path))
      const made = paths.flatMap((path) => renames.get(path) ?? []).filter(({ from }) => gone.delete(from))
      await write(paths, { made, left })
      left = []
      rest = rest.slice(taken).filter((path) => !pending.has(path))
    }
  // Also deletes notes whose rename could not be committed, because the note could not be read at its new path.
  await write([], { left: await leave([...left, ...gone.keys()]) })
  return isComplete
}

/** The paths of notes without pending changes, in groups. */
async function* groupsOf(
  notes: Iterable<NamedNote>,
  { pending, pause }: { pending: Options['pending']; pause: Pause },
): AsyncGenerator<string[]> {
  let group: string[] = []
  for (const { path } of notes) {
    await pause()
    if (!pending.has(path)) group.push(path)
    if (group.length < FILES_AT_ONCE) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** The notes of the history without a file, with their last content. */
type Missing = { seenGone: Map<string, string>; unseen: Map<string, string>; committed: number }

/**
 * The notes of the history that are missing, seen to be deleted or not. Passes every note of the history to `notes.meet`.
 * Neither list is ever in memory as a whole: an idle daemon would keep the memory that two lists of a large vault take.
 */
async function missingNotes(
  { repository, pending, source, seenGone, signal }: Options,
  notes: KnownNotes,
): Promise<Missing> {
  const missing: Missing = { seenGone: new Map(), unseen: new Map(), committed: 0 }
  await repository.eachNote((note) => {
    const { path, blob } = note
    missing.committed++
    if (notes.meet(note) !== 'unknown' || pending.has(path) || source.mayBeThere(path)) return
    ;(seenGone.has(path) ? missing.seenGone : missing.unseen).set(path, blob)
  })
  signal.throwIfAborted()
  return missing
}

type Renamed = { missing: Missing; renames: ReadonlyMap<string, Rename> }

/** The missing notes that are gone. A note that is found at a new path is no sign of a disk that is away. */
function goneNotes({ log }: Options, { missing, renames }: Renamed): Map<string, string> {
  const { seenGone: gone, unseen, committed } = missing
  for (const { from } of renames.values()) {
    const blob = unseen.get(from)
    if (blob !== undefined) gone.set(from, blob)
    unseen.delete(from)
  }
  if (isMassDisappearance({ gone: unseen.size, known: committed }))
    log.warn({ missing: unseen.size }, 'many notes of the history are gone from the disk; the history keeps them')
  else for (const [path, blob] of unseen) gone.set(path, blob)
  return gone
}
