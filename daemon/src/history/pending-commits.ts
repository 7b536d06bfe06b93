import { commitMessage, deletionTrailer, renameTrailer } from './commit-message.ts'
import type { Move, Open, PendingCommit } from './pending-changes.ts'

// The content of a large folder must not be in memory twice as a whole.
const FILES_OF_MOVE = 500

/** The commits of changes in their order: one for each, and one for all changes of a move. */
export function commitsOf(changes: readonly Open[]): PendingCommit[] {
  const commits: PendingCommit[] = []
  let moved: { move: Move; parts: Open[] } | undefined
  const endMove = () => {
    if (moved) commits.push(commitOfMove(moved.move, moved.parts))
    moved = undefined
  }
  for (const change of changes) {
    const { move } = change
    if (moved?.move.id !== move?.id || moved?.parts.length === FILES_OF_MOVE) endMove()
    if (move === undefined) commits.push(commitOf(change))
    else (moved ??= { move, parts: [] }).parts.push(change)
  }
  endMove()
  return commits
}

function commitOf({ kind, path, bytes, from, deletion, author, atMs, ids }: Open): PendingCommit {
  const files = [...(from === undefined ? [] : [{ path: from, bytes: undefined }]), { path, bytes }]
  const trailers = [
    ...(from === undefined ? [] : [renameTrailer({ from, to: path })]),
    ...(deletion === undefined ? [] : [deletionTrailer(deletion)]),
  ]
  const verb = kind === 'deleted' ? 'Delete' : 'Edit'
  const subject = from === undefined ? `${verb} ${path}` : `Move ${from} to ${path}`
  return { author, at: Math.floor(atMs / 1000), message: commitMessage(subject, trailers), files, ids }
}

/** Every note that a move has made was at the same place below the path that was moved. */
function commitOfMove(move: Move, parts: readonly Open[]): PendingCommit {
  const { author, atMs } = parts[0]!
  const renames = parts
    .filter(({ kind, path }) => kind === 'created' && (path === move.to || path.startsWith(`${move.to}/`)))
    .map(({ path }) => renameTrailer({ from: move.from + path.slice(move.to.length), to: path }))
  return {
    author,
    at: Math.floor(atMs / 1000),
    message: commitMessage(`Move ${move.from} to ${move.to}`, renames),
    files: parts.map(({ path, bytes }) => ({ path, bytes })),
    ids: parts.flatMap(({ ids }) => ids),
  }
}
