import { outsideAuthor, sameProgram } from '../entry/author.ts'
import { mostLike, pathLikeness } from '../files/path-likeness.ts'
import { canCompose, composeWritten } from './written-lines.ts'
import { commitsOf, isFull, type Change, type Open, type PendingCommit, type Recorded } from './pending-commits.ts'

const IDLE_MS = 30_000
const LONGEST_MS = 5 * 60_000

/** Changes that will become revisions: consecutive changes of one author to one note are merged. */
export type PendingChanges = {
  add(change: Change): void
  /** All changes of the running move were added. Until then they are not due, because they become one revision. */
  moveEnded(): void
  /**
   * Until `renamesEnd`, the changes of other programs may be the halves of renames: a note that appears waits for the
   * one that disappears, and is not due.
   */
  renamesBegin(): void
  renamesEnd(): void
  /**
   * The commits whose time has come, in order; with `Infinity` all. They stay pending until they are `written`. Takes
   * about `most` changes at once: preparing the commits for a large deleted folder would block the event loop.
   */
  due(nowMs: number, most?: number): PendingCommit[]
  /** These due commits are in the history, or were given up. */
  written(commits: readonly PendingCommit[]): void
  /** True if a change with an id below this one is pending and was due, which those of a running move are not. */
  isWaiting(below: number): boolean
  /** The newest change of each future revision, in order. */
  changes(): Change[]
  /** Bytes of all notes that are pending. */
  bytes(): number
  /** The number of revisions that the pending changes will become. */
  count(): number
  /** The pending changes of a note, in order; undefined if one of them is part of a move, rename or deletion. */
  ofNote(path: string): Change[] | undefined
  /** True if a change of this note is pending. */
  has(path: string): boolean
  /** True if the other half of this rename is pending: both will become one revision. */
  hasOtherHalf(change: Recorded): boolean
}

/** An empty set of pending changes. Pure except for its own state. */
export function pendingChanges(): PendingChanges {
  const open = new Map<string, Open>()
  const closed = new Set<Open>()
  // The parts of a move that is still running.
  const moving: Open[] = []
  // The changes that created or removed a note, by the content of that note, in order. Unfilled templates are alike.
  const byContent = new Map<string, Set<Open>>()
  // The newest change of a path that has its place in the order of revisions.
  const lastPlaced = new Map<string, Open>()
  // The number of pending changes of each path; a renamed note counts under both paths.
  const waiting = new Map<string, number>()
  let bytes = 0
  let isRenaming = false

  function countPaths(change: Open, by: 1 | -1): void {
    for (const path of pathsOf(change)) {
      const count = (waiting.get(path) ?? 0) + by
      if (count !== 0) waiting.set(path, count)
      else {
        waiting.delete(path)
        lastPlaced.delete(path)
      }
    }
  }

  function place(change: Open): void {
    for (const path of pathsOf(change)) lastPlaced.set(path, change)
  }

  function take(change: Open): void {
    if (open.get(change.path) === change) open.delete(change.path)
    closed.delete(change)
    countPaths(change, -1)
    bytes -= change.bytes?.length ?? 0
    settle(change)
  }

  /** From now on, the change is not half of a rename. */
  function settle(change: Open): void {
    const key = contentKey(change)
    const alike = byContent.get(key)
    alike?.delete(change)
    if (alike?.size === 0) byContent.delete(key)
  }

  function put(change: Open, to: 'open' | 'moving' | 'closed'): void {
    if (to === 'open') open.set(change.path, change)
    else if (to === 'moving') moving.push(change)
    else closed.add(change)
    if (to !== 'open') place(change)
    countPaths(change, 1)
    bytes += change.bytes?.length ?? 0
    if (!canPair(change)) return
    const alike = byContent.get(contentKey(change))
    if (alike) alike.add(change)
    else byContent.set(contentKey(change), new Set([change]))
  }

  const close = (change: Open) => {
    open.delete(change.path)
    closed.add(change)
    place(change)
  }

  /**
   * The other half of a rename. A rename has its place after all changes so far, so a half that another change of its
   * path has followed is none: a deleted note would come back, or a new one would be gone.
   */
  function otherHalf(change: Recorded): Open | undefined {
    if (!canPair(change)) return undefined
    const isHalf = (other: Open) =>
      other.path !== change.path &&
      sameProgram(other.author, change.author) &&
      (open.get(other.path) === other || lastPlaced.get(other.path) === other)
    const others = byContent.get(contentKey(change, opposite(change.kind))) ?? []
    return mostLike(others, (other) => (isHalf(other) ? 1 + pathLikeness(other.path, change.path) : 0))
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
      // Changes outside the running move are recorded before it. A change of the same note, or another move, ends it.
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

      const other = otherHalf(next)
      if (other) {
        take(other)
        const [gone, come] = next.kind === 'deleted' ? [next, other] : [other, next]
        return put({ ...come, from: gone.path, ids: [...gone.ids, ...come.ids] }, 'closed')
      }
      if (change.move !== undefined) return putMoving(next)
      const isWhole = change.kind === 'deleted' || (change.from ?? change.moved ?? change.restored) !== undefined
      put(next, isWhole ? 'closed' : 'open')
    },
    moveEnded: endMove,
    renamesBegin: () => void (isRenaming = true),
    renamesEnd: () => void (isRenaming = false),
    due(nowMs, most = Number.POSITIVE_INFINITY) {
      for (const change of open.values())
        if (isOver(change, nowMs) && !(isRenaming && mayBeRenamed(change))) close(change)
      // Changes that may be on their way to git are not modified any more.
      const taken = firstOf(closed, most)
      for (const change of taken) settle(change)
      return commitsOf(taken)
    },
    written(commits) {
      const ids = new Set(commits.flatMap((commit) => commit.ids))
      // The written changes are at the front, or near it.
      for (const change of closed) {
        if (ids.size === 0) return
        if (!ids.has(change.id)) continue
        for (const id of change.ids) ids.delete(id)
        take(change)
      }
    },
    isWaiting(below) {
      const isDue = (change: Open) => !(isRenaming && mayBeRenamed(change))
      return [...closed, ...open.values()].some((one) => one.ids.some((id) => id < below) && isDue(one))
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
    hasOtherHalf: (change) => otherHalf(change) !== undefined,
  }
}

const pathsOf = ({ path, from }: Open): string[] => (from === undefined ? [path] : [path, from])

/** True if a revision takes no further changes at that time. The clock may have been set back since its change. */
const isOver = (change: Open, nowMs: number): boolean =>
  nowMs < change.atMs || nowMs - change.atMs >= IDLE_MS || nowMs - change.sinceMs >= LONGEST_MS

/** The first changes, about `most` of them: the parts of one commit of a move stay together. */
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
  !before.found &&
  !isOver(before, change.atMs) &&
  sameProgram(before.author, change.author) &&
  canCompose(before, change)

/** True for a change that may be one half of a rename. An empty note says nothing about its origin. */
const canPair = ({ kind, blob, from, deletion, restored, move, bytes }: Recorded): boolean =>
  kind !== 'changed' &&
  blob !== undefined &&
  (from ?? deletion ?? restored ?? move) === undefined &&
  bytes?.length !== 0

const mayBeRenamed = (change: Change): boolean =>
  change.kind === 'created' && canPair(change) && sameProgram(change.author, outsideAuthor)

const opposite = (kind: Change['kind']): Change['kind'] => (kind === 'deleted' ? 'created' : 'deleted')
const contentKey = ({ kind, blob }: Recorded, as = kind): string => `${as} ${blob}`
