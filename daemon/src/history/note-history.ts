import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { isThere } from '../files/durable-file.ts'
import { isMassDisappearance } from '../watch/mass-disappearance.ts'
import { GitMissing, gitProcess } from './git-process.ts'
import { outsideAuthor, type HistoryAuthor } from './history-author.ts'
import { BRANCH, deletionTrailer, importStream, type Commit } from './import-stream.ts'
import { pendingChanges, type Move } from './pending-changes.ts'
import { purgedNotes, type Unsettled, type Withheld } from './purged-notes.ts'

/** How the history of a vault stands. `unavailable`: there is no git, or it fails; notes do not depend on it. */
export type HistoryState = 'starting' | 'ready' | 'unavailable'

/** A change of a note as it is told to the history; without bytes the note is gone, by the deletion of that name. */
type Recorded = {
  path: string
  bytes: Buffer | undefined
  deletion?: string | undefined
  author: HistoryAuthor
  move?: Move
}

/** Writes the history of one vault. Lags behind the notes and never makes a writer wait or fail. */
export type NoteHistory = {
  gitDir: string
  state(): HistoryState
  record(change: Recorded): void
  /**
   * Removes a note for good: what there is of it in the history is not served from here on. Answers what `remove`
   * does: false when nothing was removed.
   */
  purge(note: { path: string; deletion: string }, remove: () => Promise<boolean>): Promise<boolean>
  /** What must not be served of a note. */
  withheld(path: string): Withheld | undefined
  /** Commits what was changed while nobody recorded: notes that differ from the last revision, and those that are gone. */
  catchUp(notes: ReadonlyMap<string, string>, read: (path: string) => Promise<Buffer | undefined>): Promise<void>
  /** Resolves when everything recorded so far is committed, or cannot be. */
  settle(): Promise<void>
  close(): Promise<void>
}

type Options = { gitDir: string; searchPath: string; clock: Clock; log: Log }

const LOOK_MS = 5000
const MANY_PACKS = 50
const FILES_AT_ONCE = 500

/** Opens the history in its own git directory; a `.git` of the user is never touched. */
export function noteHistory({ gitDir, searchPath, clock, log }: Options): NoteHistory {
  const git = gitProcess({ gitDir, searchPath })
  const pending = pendingChanges()
  const purged = purgedNotes(`${gitDir}.purged.jsonl`)
  const seconds = () => Math.floor(clock.now().getTime() / 1000)
  let state: HistoryState = 'starting'
  let isFirst = true
  let imports = 0
  const prepared = prepare()
  let work = prepared

  async function prepare(): Promise<void> {
    try {
      await purged.load()
      if (!(await isThere(join(gitDir, 'HEAD')))) {
        await mkdir(gitDir, { recursive: true })
        await git(['init', '--quiet', '--bare', '--template=', '--initial-branch=main', gitDir])
      }
      for (const [name, value] of Object.entries(SETTINGS)) await git(['config', name, value])
      isFirst = (await git(['for-each-ref', BRANCH])) === ''
      // The repository was removed: what is gone need not be withheld, and its commits are not known any more.
      if (isFirst) await purged.clear()
      state = 'ready'
    } catch (error) {
      giveUp(error)
    }
  }

  function giveUp(error: unknown): void {
    state = 'unavailable'
    if (error instanceof GitMissing) log.warn('git is not installed: notes have no history')
    else log.error({ err: error }, 'the history cannot be written; notes are not affected')
  }

  /** One writer after the other. What one failed to commit is found by the next catching up; only a missing git ends it. */
  function enqueue(run: () => Promise<void>): Promise<void> {
    work = work.then(async () => {
      if (state === 'unavailable') return
      try {
        await run()
      } catch (error) {
        if (error instanceof GitMissing) giveUp(error)
        else log.error({ err: error }, 'a revision could not be written; the notes themselves are not affected')
      }
    })
    return work
  }

  async function write(commits: readonly Commit[]): Promise<void> {
    if (commits.length === 0) return
    await git(['fast-import', '--quiet', '--done'], importStream(commits, { isFirst }))
    isFirst = false
    if (++imports % MANY_PACKS === 0) await git(['repack', '-d', '-q', '--geometric=2'])
    await git(['commit-graph', 'write', '--reachable', '--changed-paths', '--split', '--no-progress'])
  }

  /** Finds the commit up to which the revisions of notes that were deleted for good are withheld. */
  async function settlePurges(purges: readonly Unsettled[]): Promise<void> {
    for (const purge of purges) {
      if (isFirst) await purged.settle(purge, undefined)
      else await purged.settle(purge, await lastWithheld(purge))
    }
  }

  async function lastWithheld({ deletion, before }: Unsettled): Promise<string> {
    const grep = ['--fixed-strings', `--grep=${deletionTrailer(deletion)}`]
    const deleted = (await git(['log', '--max-count=1', '--format=%H', ...grep, BRANCH])).trim()
    // A kill can lose the commit of the deletion. Then everything so far may be of the deleted note.
    const commit = deleted === '' ? (await git(['rev-parse', BRANCH])).trim() : deleted
    if (before === undefined) return commit
    const isLater = (await git(['rev-list', '--max-count=1', `${before}..${commit}`])) !== ''
    return isLater ? commit : before
  }

  async function commit(nowMs: number): Promise<void> {
    const purges = purged.unsettled()
    // What was changed before a deletion for good has to be in the history before the commit of that deletion.
    await write(pending.due(purges.length > 0 ? Number.POSITIVE_INFINITY : nowMs))
    await settlePurges(purges)
  }

  const commitDue = (nowMs: number) => enqueue(() => commit(nowMs))
  const timer = setInterval(() => void commitDue(clock.monotonic()), LOOK_MS)
  timer.unref()

  return {
    gitDir,
    state: () => state,
    record(change) {
      if (state === 'unavailable') return
      pending.add({ ...change, nowMs: clock.monotonic(), at: seconds() })
    },
    async purge(note, remove) {
      await prepared
      return purged.purge(note, remove)
    },
    withheld: purged.withheld,
    catchUp: (notes, read) =>
      enqueue(async () => {
        await commit(clock.monotonic())
        const committed = isFirst ? new Map<string, string>() : parseTree(await git(['ls-tree', '-r', '-z', BRANCH]))
        const missing = [...committed.keys()].filter((path) => !notes.has(path))
        const isDoubtful = isMassDisappearance({ gone: missing.length, known: committed.size })
        if (isDoubtful) log.warn({ missing: missing.length }, 'many notes of the history are gone; they are kept in it')
        const gone = isDoubtful ? [] : missing
        const changed = [...notes]
          .filter(([path, blob]) => committed.get(path) !== blob && !pending.has(path))
          .map(([path]) => path)

        const message = isFirst ? 'Notes as they were found\n' : 'Changes made while the daemon did not run\n'
        for (let from = 0; from < Math.max(changed.length, gone.length); from += FILES_AT_ONCE) {
          const files: Commit['files'] = gone
            .slice(from, from + FILES_AT_ONCE)
            .map((path) => ({ path, bytes: undefined }))
          for (const path of changed.slice(from, from + FILES_AT_ONCE)) {
            const bytes = await read(path)
            if (bytes) files.push({ path, bytes })
          }
          if (files.length > 0) await write([{ author: outsideAuthor, at: seconds(), message, files }])
        }
      }),
    settle: () => commitDue(Number.POSITIVE_INFINITY),
    async close() {
      clearInterval(timer)
      await commitDue(Number.POSITIVE_INFINITY)
    },
  }
}

// Small packs stay packs, and nothing runs by itself beside our one writer.
const SETTINGS = {
  'gc.auto': '0',
  'fastimport.unpackLimit': '0',
  'core.quotePath': 'false',
  'core.hooksPath': '/dev/null',
}

function parseTree(listing: string): Map<string, string> {
  const entries = listing.split('\0').filter((entry) => entry !== '')
  return new Map(
    entries.map((entry) => [entry.slice(entry.indexOf('\t') + 1), entry.slice(0, entry.indexOf('\t')).split(' ')[2]!]),
  )
}
