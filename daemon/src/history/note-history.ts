import { existsSync } from 'node:fs'
import { endsWithin } from '@svc/shared/kit/within.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { catchUp, type NoteSource } from './catch-up.ts'
import { changeQueue } from './change-queue.ts'
import { commitWriter } from './commit-writer.ts'
import { outsideAuthor } from '../entry/author.ts'
import { GitMissing } from './git/git-process.ts'
import { incompleteHistory } from './incomplete-history.ts'
import { pendingChanges, type PendingChanges } from './pending-changes.ts'
import { createDueCatchUp } from './due-catch-up.ts'
import type { Change, Recorded } from './pending-commits.ts'
import { locatePurges } from './purges/locate-purges.ts'
import { preparePurges } from './purges/prepare-purges.ts'
import { purgedNotes, type Purge, type Withheld } from './purges/purged-notes.ts'
import { openRepository } from './repository.ts'
import { limitOutside, memoryLimits, shedOldest, type MemoryLimits } from './shed-changes.ts'

/**
 * The state of a vault's history. `behind`: revisions wait on disk until git can write again. `unavailable`: there is
 * no git. Notes depend on neither.
 */
export type HistoryState = 'starting' | 'ready' | 'behind' | 'unavailable'

/** Writes the history of one vault. Lags behind the notes and never makes a writer wait or fail. */
export type NoteHistory = Pick<PendingChanges, 'moveEnded' | 'renamesBegin' | 'renamesEnd'> & {
  gitDir: string
  state(): HistoryState
  record(change: Recorded): void
  /** Records the content that the next change of a note replaces, unless it is in the history or waits to be. */
  recordReplaced(path: string, bytes: Buffer): void
  /** Deletes notes permanently: their revisions so far are no longer served. Returns the result of `remove`. */
  purge(purge: Purge, remove: () => Promise<boolean>): Promise<boolean>
  /** True when there are revisions to read. */
  isReadable(): boolean
  /** The revisions of a note that must not be served. */
  withheld(path: string): Withheld | undefined
  /** Commits unrecorded changes: notes that differ from the last revision, and those that are gone. */
  catchUp(): Promise<void>
  /** Requests a check for damage soon, because something could not be read. */
  doubt(error: unknown): void
  /** The uncommitted changes of a note, in order; undefined when one of them is a move or a deletion. */
  pendingOf(path: string): readonly Change[] | undefined
  /** How often commits were written: cached reads are as old as this. */
  writes(): number
  /** Resolves when everything recorded so far is committed, or cannot be. */
  commitAll(): Promise<void>
  /** Like `commitAll`, but fails if something recorded so far cannot be committed, or nothing can be read. */
  complete(): Promise<void>
  /** The daemon is about to stop: commits what waits, and compares no further. */
  stopping(): void
  close(): Promise<void>
}

type Options = {
  source: NoteSource
  gitDir: string
  searchPath: string
  makeRoom(bytes: number): Promise<void>
  clock: Clock
  log: Log
  limits?: MemoryLimits
  write?: (fd: number, bytes: Buffer) => number
}

const LOOK_MS = 5000
// The time for commits after the stop has begun. Later ones are in the queue, and are committed at the next start.
const CLOSE_MS = 1500
const LONGEST_PAUSE_MS = 60_000
const DOUBT_MS = 10 * 60_000
// Everything is due.
const always = () => Number.POSITIVE_INFINITY

/** Opens the history in its own git directory; a `.git` of the user is never touched. */
export function noteHistory({ limits = memoryLimits, ...options }: Options): NoteHistory {
  const { gitDir, searchPath, makeRoom, source, clock, log, write } = options
  const closing = new AbortController()
  const giveUp = new AbortController()
  const repository = openRepository({ gitDir, searchPath, makeRoom, signal: giveUp.signal })
  const queue = changeQueue({ path: `${gitDir}.queue`, log, ...(write ? { write } : {}) })
  const pending = pendingChanges()
  const outside = limitOutside(pending, limits)
  const purged = purgedNotes(`${gitDir}.purged.jsonl`)
  const writer = commitWriter({ repository, queue, pending })
  const nowMs = () => clock.now().getTime()
  let state: HistoryState = 'starting'
  let stoppingSince = 0
  let nextId = writer.resume()
  let isPrepared = false
  let failures = 0
  let quietUntil = 0
  let problem: unknown
  let doubtedAt = Number.NEGATIVE_INFINITY
  const catchingUp = createDueCatchUp({ clock, pauseMs: LONGEST_PAUSE_MS, isNew: !existsSync(gitDir) })
  // Until all notes are known, an unknown note may still exist.
  let isEveryNoteKnown = false

  const loading = purged.load().catch((error: unknown) => {
    // Without the list of permanently deleted notes, it is unknown what must not be served.
    state = 'unavailable'
    log.error({ err: error }, 'the history cannot be opened; notes are not affected')
  })
  let work = loading

  function record(recorded: Recorded): void {
    if (state === 'unavailable') return
    if (outside.isLeftOut(recorded)) return catchingUp.leaveOut(recorded)
    const change = { ...recorded, id: nextId++, atMs: nowMs() }
    queue.add(change)
    pending.add(change)
  }

  async function prepare(): Promise<void> {
    if (isPrepared) return
    await repository.prepare()
    await preparePurges({ repository, purged, catchingUp })
    isPrepared = true
  }

  /** Runs one task at a time. A failure is repaired if possible, and what was not written is retried later. */
  function enqueue(run: () => Promise<void>): Promise<void> {
    work = work.then(async () => {
      if (state === 'unavailable' || clock.monotonic() < quietUntil) return
      try {
        await prepare()
        await run()
        if (state === 'behind') log.info('the history is written again')
        state = 'ready'
        failures = 0
      } catch (error) {
        if (!giveUp.signal.aborted) await recover(error)
      }
    })
    return work
  }

  async function recover(error: unknown): Promise<void> {
    problem = error
    if (error instanceof GitMissing) {
      state = 'unavailable'
      log.warn('git is not installed: notes have no history')
      return
    }
    if (failures === 0) log.error({ err: error }, 'the history cannot be written; notes are not affected')
    state = 'behind'
    try {
      if (!(await repository.isWholeDespite(error))) return await beginAnew()
    } catch (failure) {
      log.error({ err: failure }, 'the history cannot be checked or moved aside')
    }
    limitMemory()
    quietUntil = clock.monotonic() + Math.min(LONGEST_PAUSE_MS, LOOK_MS * 2 ** failures++)
  }

  async function beginAnew(): Promise<void> {
    const place = await repository.setAside(clock.now())
    isPrepared = false
    catchingUp.beginAnew()
    log.error({ place }, `the history was damaged and has been moved to ${place}; a new one begins`)
    // A second damage waits for the next check: the disk may be failing.
    quietUntil = clock.monotonic() + LOOK_MS
  }

  async function commit(untilMs: () => number): Promise<void> {
    const purges = purged.pending()
    // Between the halves of renames, a note may be at both its paths: the comparison waits.
    const isSettled = () => !outside.isRenaming() && !closing.signal.aborted
    const catchesUp = catchingUp.isDue() && isEveryNoteKnown && isSettled()
    // Changes made before a permanent deletion must be committed before that deletion. What waits since an earlier run
    // may be older than its note, so it is committed before notes are compared with the history.
    await writer.write(purges.length > 0 || catchesUp ? always : untilMs)
    await locatePurges({ repository, purged, purges, isCompared: catchingUp.hasCompared() && !closing.signal.aborted })
    if (!catchesUp || !isSettled()) return
    const seconds = Math.floor(nowMs() / 1000)
    const common = { repository, pending, source, seconds, isFirst: catchingUp.isFirst(), log, signal: closing.signal }
    await catchingUp.run((seenGone) => catchUp({ ...common, seenGone }))
  }

  /** Git has not been able to write for long: drops the oldest changes, and has the notes compared later. */
  function limitMemory(): void {
    if (!shedOldest(pending, limits)) return
    log.warn('the history lags too far behind; revisions are left out')
    queue.keep(pending.changes())
    catchingUp.ask()
  }

  async function doubt(error: unknown): Promise<void> {
    if (clock.monotonic() - doubtedAt < DOUBT_MS) return
    doubtedAt = clock.monotonic()
    log.error({ err: error }, 'a revision cannot be read; the history is checked')
    if (!(await repository.isWhole())) await beginAnew()
  }

  const commitDue = (untilMs: () => number) => enqueue(() => commit(untilMs))
  // At rest, nothing is done that would leave garbage: the memory that it fills is not returned for minutes.
  const isDue = () => state !== 'ready' || pending.count() > 0 || purged.pending().length > 0 || catchingUp.isDue()
  const timer = setInterval(() => isDue() && void commitDue(nowMs), LOOK_MS).unref()

  function stopping(): void {
    if (closing.signal.aborted) return
    stoppingSince = clock.monotonic()
    clearInterval(timer)
    closing.abort()
    quietUntil = 0
    void commitDue(always)
  }

  return {
    gitDir,
    state: () => state,
    record,
    recordReplaced(path, bytes) {
      if (pending.has(path) || (isEveryNoteKnown && catchingUp.isDone())) return
      record({ kind: 'changed', path, bytes, found: catchingUp.isFirst() || undefined, author: outsideAuthor })
    },
    moveEnded: pending.moveEnded,
    renamesBegin: outside.renamesBegin,
    renamesEnd: outside.renamesEnd,
    purge: (purge, remove) => loading.then(() => purged.purge(purge, remove)),
    isReadable: () => isPrepared && state !== 'unavailable' && !repository.isEmpty(),
    withheld: purged.withheld,
    pendingOf: pending.ofNote,
    writes: repository.writes,
    catchUp() {
      catchingUp.ask()
      isEveryNoteKnown = true
      return commitDue(nowMs)
    },
    doubt: (error) => void enqueue(() => doubt(error)),
    commitAll: () => commitDue(always),
    async complete() {
      const recorded = nextId
      await commitDue(always)
      const isUnavailable = state === 'unavailable'
      if (!isPrepared || isUnavailable || pending.isWaiting(recorded))
        throw incompleteHistory({ isUnavailable, cause: problem })
    },
    stopping,
    async close() {
      stopping()
      const committed = commitDue(always)
      const left = Math.max(0, stoppingSince + CLOSE_MS - clock.monotonic())
      await endsWithin(committed, { ms: left, clock })
      giveUp.abort()
      await committed
      queue.close()
    },
  }
}
