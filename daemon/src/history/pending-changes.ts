import { sameProgram } from '../entry/author.ts'
import { canCompose, composeWritten } from './written-lines.ts'
import { commitsOf, isFull, type Change, type Open, type PendingCommit } from './pending-commits.ts'

const IDLE_MS = 30_000
const LONGEST_MS = 5 * 60_000

/** Changes that will become revisions: consecutive changes of one author to one note are merged. */
export type PendingChanges = {
  add(change: Change): void
  /** All changes of the running move have come. Until then they are not due, since they become one revision. */
  moveEnded(): void
  /**
   * The commits whose time has come, in order; with `Infinity` all. They stay pending until they are `written`. About
   * `most` changes at once: making commits of a large folder that was deleted would hold the event loop.
   */
  due(nowMs: number, most?: number): PendingCommit[]
  /** These due commits are in the history, or were given up. */
  written(commits: readonly PendingCommit[]): void
  /** The newest change of each revision to be, in order. */
  changes(): Change[]
  /** Bytes of all notes that are pending. */
  bytes(): number
  /** How many revisions will be made of them. */
  count(): number
  /** The changes of a note that wait, in order; none of them is a part of a rename or deletion, or undefined. */
  ofNote(path: string): Change[] | undefined
  /** True when a change of this note waits. */
  has(path: string): boolean
}

/** Nothing pending. Pure but for its own memory. */
export function pendingChanges(): PendingChanges {
  const open = new Map<string, Open>()
  const closed = new Set<Open>()
  // The parts of a move that others will follow.
  const moving: Open[] = []
  // The newest note that has come or gone with some content.
  const byContent = new Map<string, Open>()
  // How many changes of a path wait, under whatever name they had before too.
  const waiting = new Map<string, number>()
  let bytes = 0

  function countPaths({ path, from }: Open, by: 1 | -1): void {
    for (const one of from === undefined ? [path] : [path, from]) {
      const count = (waiting.get(one) ?? 0) + by
      if (count === 0) waiting.delete(one)
      else waiting.set(one, count)
    }
  }

  function take(change: Open): void {
    if (open.get(change.path) === change) open.delete(change.path)
    closed.delete(change)
    countPaths(change, -1)
    bytes -= change.bytes?.length ?? 0
    if (byContent.get(contentKey(change)) === change) byContent.delete(contentKey(change))
  }

  function put(change: Open, place: 'open' | 'moving' | 'closed'): void {
    if (place === 'open') open.set(change.path, change)
    else if (place === 'moving') moving.push(change)
    else closed.add(change)
    countPaths(change, 1)
    bytes += change.bytes?.length ?? 0
    if (canPair(change)) byContent.set(contentKey(change), change)
  }

  const close = (change: Open) => {
    take(change)
    put(change, 'closed')
  }

  const endMove = () => {
    for (const part of moving.splice(0)) closed.add(part)
  }

  function putMoving(part: Open): void {
    put(part, 'moving')
    if (isFull(moving)) endMove()
  }

  return {
    add(change) {
      // A change that is no part of the running move comes before it, unless it is of the same note.
      const isPart = change.move !== undefined && change.move.id === moving[0]?.move?.id
      if (!isPart && (change.move !== undefined || moving.some(({ path }) => path === change.path))) endMove()
      const before = open.get(change.path)
      const goesOn = before && continues(before, change)
      if (before && !goesOn) close(before)
      if (goesOn) take(before)
      const next: Open = goesOn
        ? {
            ...change,
            written: composeWritten(before, change),
            sinceMs: before.sinceMs,
            ids: [...before.ids, change.id],
          }
        : { ...change, sinceMs: change.atMs, ids: [change.id] }

      const other = canPair(next) ? byContent.get(contentKey(next, opposite(next.kind))) : undefined
      if (other && other.path !== next.path && sameProgram(other.author, next.author)) {
        take(other)
        const [gone, come] = next.kind === 'deleted' ? [next, other] : [other, next]
        return put({ ...come, from: gone.path, ids: [...gone.ids, ...come.ids] }, 'closed')
      }
      if (change.move !== undefined) return putMoving(next)
      put(next, change.kind === 'deleted' || (change.from ?? change.moved) !== undefined ? 'closed' : 'open')
    },
    moveEnded: endMove,
    due(nowMs, most = Number.POSITIVE_INFINITY) {
      for (const change of open.values()) if (isOver(change, nowMs)) close(change)
      // What may be on its way to git is not changed any more.
      const taken = firstOf(closed, most)
      for (const change of taken) byContent.delete(contentKey(change))
      return commitsOf(taken)
    },
    written(commits) {
      const ids = new Set(commits.flatMap((commit) => commit.ids))
      // They are the first ones, or near them.
      for (const change of closed) {
        if (ids.size === 0) return
        if (!ids.has(change.id)) continue
        for (const id of change.ids) ids.delete(id)
        take(change)
      }
    },
    changes: () => [...closed, ...moving, ...open.values()].map(({ sinceMs: _since, ids: _ids, ...change }) => change),
    bytes: () => bytes,
    count: () => closed.size + moving.length + open.size,
    ofNote(path) {
      if (!waiting.has(path)) return []
      const touching = [...closed, ...moving, ...open.values()].filter((one) => one.path === path || one.from === path)
      const isPlain = touching.every(({ kind, from, move }) => kind !== 'deleted' && (from ?? move) === undefined)
      return isPlain ? touching : undefined
    },
    has: (path) => waiting.has(path),
  }
}

const isOver = (change: Open, nowMs: number): boolean =>
  nowMs - change.atMs >= IDLE_MS || nowMs - change.sinceMs >= LONGEST_MS

/** The first changes, about as many as asked for: the parts of one commit of a move stay together. */
function firstOf(changes: Iterable<Open>, most: number): Open[] {
  const taken: Open[] = []
  let parts: Open[] = []
  let before: string | undefined
  for (const change of changes) {
    const goesOn = change.move !== undefined && change.move.id === before && !isFull(parts)
    if (taken.length >= most && !goesOn) break
    if (change.move?.id !== before || isFull(parts)) parts = []
    parts.push(change)
    before = change.move?.id
    taken.push(change)
  }
  return taken
}

/** True for a change that belongs to the same revision as the one before it. */
const continues = (before: Open, change: Change): boolean =>
  change.kind === 'changed' &&
  change.move === undefined &&
  !isOver(before, change.atMs) &&
  sameProgram(before.author, change.author) &&
  canCompose(before, change)

/** True for a change that may be one half of a rename. A note without text says nothing about where it came from. */
const canPair = ({ kind, blob, from, deletion, move, bytes }: Change): boolean =>
  kind !== 'changed' && blob !== undefined && (from ?? deletion ?? move) === undefined && bytes?.length !== 0

const opposite = (kind: Change['kind']): Change['kind'] => (kind === 'deleted' ? 'created' : 'deleted')
const contentKey = ({ kind, blob }: Change, as = kind): string => `${as} ${blob}`
