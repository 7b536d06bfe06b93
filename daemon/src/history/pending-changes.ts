import type { HistoryAuthor } from './history-author.ts'
import { deletionTrailer, moveTrailer, type Commit } from './import-stream.ts'

/** The move that changes are a part of: they become one revision. */
export type Move = { id: string; from: string; to: string }

const IDLE_MS = 30_000
const LONGEST_MS = 5 * 60_000
// The content of a large folder must not be in memory as a whole.
const FILES_OF_MOVE = 500
// The changes of one move come closer together than this.
const MOVE_MS = 2000

/**
 * A change of one note; without bytes it is gone, and `deletion` names that. `nowMs` never goes back, `at` is seconds
 * since 1970.
 */
export type Change = {
  path: string
  bytes: Buffer | undefined
  deletion?: string | undefined
  author: HistoryAuthor
  move?: Move
  nowMs: number
  at: number
}

/** Changes on their way to become revisions: those of one author to one note are gathered while they go on. */
export type PendingChanges = {
  add(change: Change): void
  /** The commits whose time has come; with `Infinity` all. */
  due(nowMs: number): Commit[]
  /** True when a change of this note waits. */
  has(path: string): boolean
}

type Open = Change & { sinceMs: number }

/** Nothing pending. Pure but for its own memory. */
export function pendingChanges(): PendingChanges {
  const open = new Map<string, Open>()
  let moving: { id: string; commit: Commit; nowMs: number } | undefined
  let closed: Commit[] = []

  const close = (change: Open) => {
    open.delete(change.path)
    const verb = change.bytes === undefined ? 'Delete' : 'Edit'
    const trailer = change.deletion === undefined ? '' : `\n${deletionTrailer(change.deletion)}\n`
    closed.push({
      author: change.author,
      at: change.at,
      message: `${verb} ${change.path}\n${trailer}`,
      files: [{ path: change.path, bytes: change.bytes }],
    })
  }

  const closeMove = () => {
    if (moving) closed.push(moving.commit)
    moving = undefined
  }

  /** What was changed before the move comes before it. */
  function addToMove({ path, bytes, author, at, nowMs }: Change, move: Move): void {
    const before = open.get(path)
    if (before) close(before)
    if (moving?.id !== move.id || moving.commit.files.length === FILES_OF_MOVE) closeMove()
    const message = `Move ${move.from} to ${move.to}\n\n${moveTrailer(move)}\n`
    moving ??= { id: move.id, commit: { author, at, message, files: [] }, nowMs }
    moving.nowMs = nowMs
    moving.commit.files.push({ path, bytes })
  }

  return {
    add(change) {
      if (change.move) return addToMove(change, change.move)
      closeMove()
      const before = open.get(change.path)
      if (before && before.author.id !== change.author.id) close(before)
      const sinceMs = open.get(change.path)?.sinceMs ?? change.nowMs
      // A later change comes later in the history too.
      open.delete(change.path)
      open.set(change.path, { ...change, sinceMs })
      if (change.bytes === undefined) close(open.get(change.path)!)
    },
    due(nowMs) {
      for (const change of open.values())
        if (nowMs - change.nowMs >= IDLE_MS || nowMs - change.sinceMs >= LONGEST_MS) close(change)
      if (moving && nowMs - moving.nowMs >= MOVE_MS) closeMove()
      const commits = closed
      closed = []
      return commits
    },
    has: (path) =>
      open.has(path) ||
      [...closed, ...(moving ? [moving.commit] : [])].some(({ files }) => files.some((file) => file.path === path)),
  }
}
