import {
  changesTrailer,
  commitMessage,
  deletionSubject,
  deletionTrailer,
  FOUND,
  integrationTrailer,
  movedTrailer,
  personTrailer,
  registrationTrailer,
  renameTrailer,
  restoredTrailer,
  type MovedThing,
} from './commit-message.ts'
import type { Author } from '../entry/author.ts'
import type { RestoredFrom, WrittenLines } from '../vaults/vault-change.ts'
import type { Commit } from './import-stream.ts'
import { writtenTrailer } from './written-lines.ts'

/** The move of a file or folder that some changes belong to: they become one revision. */
export type Move = { id: string; from: string; to: string }

/**
 * A change of one note; without bytes the note is gone. A change of kind `moved` belongs to an attachment or folder,
 * which may only have been created, replaced or removed; it has no bytes. `id` is unique. `blob` names the content of a
 * note that was created or removed, by which a rename is recognized. `deletion` names a deletion. `atMs` is less than
 * that of the change before where the clock has been set back.
 */
export type Change = {
  id: number
  kind: 'created' | 'changed' | 'deleted' | 'moved'
  path: string
  bytes: Buffer | undefined
  blob?: string | undefined
  from?: string | undefined
  deletion?: string | undefined
  move?: Move | undefined
  moved?: MovedThing | undefined
  /** The note was restored, and was deleted at another path. */
  restored?: RestoredFrom | undefined
  /** The note was there before the history began. */
  found?: true | undefined
  /** The authors of the lines, if the author of the change did not write all of them. */
  written?: WrittenLines | undefined
  author: Author
  atMs: number
}

/** A change of a note, as reported to the history. */
export type Recorded = Omit<Change, 'id' | 'atMs'>

/** The newest change of a future revision, and the ids of all changes that it includes. */
export type Open = Change & { sinceMs: number; ids: number[] }

/** A commit with the ids of all changes that it makes part of the history. */
export type PendingCommit = Commit & { ids: readonly number[] }

// The content of a large folder must not be in memory twice.
const FILES_OF_MOVE = 500

/**
 * True if the parts of a move fill a commit. A note leaves its old path and appears at the new one in the same commit.
 */
export const isFull = (parts: readonly Open[]): boolean =>
  parts.length >= FILES_OF_MOVE && parts.at(-1)!.kind !== 'deleted'

/** The commits of changes, in order: one for each change, but the changes of a move share commits. */
export function commitsOf(changes: readonly Open[]): PendingCommit[] {
  const commits: PendingCommit[] = []
  let moved: { move: Move; parts: Open[] } | undefined
  const endMove = () => {
    if (moved) commits.push(commitOfMove(moved.move, moved.parts))
    moved = undefined
  }
  for (const change of changes) {
    const { move } = change
    if (moved?.move.id !== move?.id || (moved && isFull(moved.parts))) endMove()
    if (move === undefined) commits.push(commitOf(change))
    else (moved ??= { move, parts: [] }).parts.push(change)
  }
  endMove()
  return commits
}

const trailersOf = ({ person, integration, registration }: Author): string[] => [
  ...(person ? [personTrailer(person)] : []),
  ...(integration === undefined ? [] : [integrationTrailer(integration)]),
  ...(registration === undefined ? [] : [registrationTrailer(registration)]),
]

function commitOf(change: Open): PendingCommit {
  const { kind, path, bytes, from, deletion, restored, found, written, author, atMs, ids, moved } = change
  if (moved) {
    const verb = moved.from === undefined ? 'Add' : 'Replace'
    const subject = moved.to === undefined ? deletionSubject(path) : `${verb} ${path}`
    const message = commitMessage(subject, [movedTrailer(moved), ...trailersOf(author)])
    return { author, at: Math.floor(atMs / 1000), message, files: [], ids }
  }
  // A rename was reported as two changes.
  const changes = from === undefined ? ids.length : ids.length - 1
  const files = [...(from === undefined ? [] : [{ path: from, bytes: undefined }]), { path, bytes }]
  const trailers = [
    ...(from === undefined ? [] : [renameTrailer({ from, to: path })]),
    ...(deletion === undefined ? [] : [deletionTrailer(deletion)]),
    ...(restored === undefined ? [] : [restoredTrailer({ ...restored, to: path })]),
    ...(written === undefined ? [] : writtenTrailer(written, author)),
    ...trailersOf(author),
    ...(changes > 1 ? [changesTrailer(changes)] : []),
  ]
  const done = kind === 'deleted' ? deletionSubject(path) : `Edit ${path}`
  const subject = found ? FOUND : from === undefined ? done : `Move ${from} to ${path}`
  return { author, at: Math.floor(atMs / 1000), message: commitMessage(subject, trailers), files, ids }
}

/** Every note that a move created was at the same place below the path that was moved. */
function commitOfMove(move: Move, parts: readonly Open[]): PendingCommit {
  const { author, atMs } = parts[0]!
  const renames = parts
    .filter(({ kind, path }) => kind === 'created' && (path === move.to || path.startsWith(`${move.to}/`)))
    .map(({ path }) => renameTrailer({ from: move.from + path.slice(move.to.length), to: path }))
  const things = parts.flatMap(({ moved }) => (moved ? [movedTrailer(moved)] : []))
  return {
    author,
    at: Math.floor(atMs / 1000),
    message: commitMessage(`Move ${move.from} to ${move.to}`, [...renames, ...things, ...trailersOf(author)]),
    files: parts.filter(({ kind }) => kind !== 'moved').map(({ path, bytes }) => ({ path, bytes })),
    ids: parts.flatMap(({ ids }) => ids),
  }
}
