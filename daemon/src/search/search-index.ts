import { renameSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { errnoOf } from '../files/fs-failure.ts'
import { syncFolder } from '../files/durable-file.ts'
import type { FileStamp } from '../files/file-stamp.ts'
import { createBuildPace } from './build-pace.ts'
import { createChangedNotes } from './recent/changed-notes.ts'
import { NO_FILES, openWithFiles, type FileTable } from './segment/file-table.ts'
import { findInBoth, type Findings } from './find-in-both.ts'
import { NO_SEGMENT } from './segment/no-segment.ts'
import type { FileMemory } from '../vaults/file-memory.ts'
import type { NoteContent } from './words/note-tokens.ts'
import { missedNotes } from './missed-notes.ts'
import type { Query } from './words/query.ts'
import type { SearchBudget } from './search-budget.ts'
import { inRoom, type SearchRoom } from './search-room.ts'
import type { Draft, SegmentBuilds, Urgency } from './segment/segment-builds.ts'
import { SegmentUnusable } from './segment/segment-format.ts'
import { createSegmentHandle, type SegmentHandle } from './segment/segment-handle.ts'
import type { Segment } from './segment/segment.ts'
import { catchUpAll, type PreparedSwitch } from '../watch/prepared-switch.ts'
import { slices } from '../watch/slices.ts'
import { hasRoomForWalk, type Walks } from './walk/walk-process.ts'
import { createWorkMemories } from './work-memory.ts'

/** The words of all notes of a vault: a segment on disk, and in memory the changes since it was built. */
export type SearchIndex = {
  /** Opens the segment of an earlier run; returns the files that it contains, or none if there is no usable segment. */
  open(): Promise<FileTable>
  /** Adds or updates a note. The next search finds it; a very large note by its beginning until the next build. */
  put(stamp: FileStamp, note: NoteContent): void
  /** Removes a note. */
  remove(path: string): void
  /** The best notes for a query: at most `limit`, after the `offset` best ones. */
  find(request: { query: Query; offset?: number; limit: number; budget: SearchBudget }): Promise<Findings>
  /** The number of notes that can be found. */
  size(): number
  /** Starts to build the first segment, which `rebuild` activates. Does nothing if there is a segment or a build. */
  begin(): void
  /** Builds a segment of everything on disk, or joins a running build. Resolves with its files when it is active. */
  rebuild(): Promise<FileTable>
  /** Walks a vault of many files in a separate process. */
  walk: FileMemory['walk']
  /** Aborts work in progress; no further build starts. */
  stop(): void
  close(): Promise<void>
}

type Options = {
  root: string
  /** The path of the segment; nothing else uses its folder. */
  file: string
  builds: SegmentBuilds
  walks: Pick<Walks, 'walk'>
  /** Shared by all vaults. */
  room: SearchRoom
  clock: Clock
  log: Log
  /** Compares the known files with those of a segment. */
  compareFiles(files: FileTable): Promise<PreparedSwitch>
  /** Another segment is active. `missed`: notes whose present state neither tier has; they must be put again. */
  onRebuilt(missed: ReadonlySet<string>): void
  timing?: typeof TIMING
}

const TIMING = { lookMs: 10_000, restMs: 120_000, quietMs: 60_000, retryMs: 60_000 }
// Fewer changed notes are not worth a build: the next start reads them again in no time.
const WORTH_A_BUILD = 50
// For fewer files, a separate process does not pay: it takes as long to start as a good part of the comparison.
const WORTH_A_WALK = 20_000

type NextSegment = { segment: Segment; files: FileTable; beforeSwitch?: () => void }

/** The search index of a vault. It is empty until it is opened or rebuilt, or notes are added. */
export function createSearchIndex({
  root,
  file,
  builds,
  walks,
  room,
  clock,
  log,
  compareFiles,
  onRebuilt,
  timing = TIMING,
}: Options): SearchIndex {
  const closing = new AbortController()
  const memories = createWorkMemories()
  let table = NO_FILES
  const changed = createChangedNotes(table)
  let handle: SegmentHandle = createSegmentHandle({ path: file, opened: NO_SEGMENT })
  let opened: Segment = NO_SEGMENT
  let isOpening = false
  let building: Promise<FileTable> | undefined
  let begun: Promise<Draft> | undefined
  let lastSearch = clock.monotonic()
  let lastChange = clock.monotonic()
  const pace = createBuildPace(timing)

  function goOver(segment: Segment, files: FileTable): Promise<void> {
    const old = handle
    table = files
    opened = segment
    handle = createSegmentHandle({ path: file, opened: segment })
    return old.close()
  }

  const draftOf = (urgency: Urgency) => builds.build({ root, file, signal: closing.signal, urgency })

  async function build(urgency: Urgency): Promise<FileTable> {
    const drafted = begun ?? draftOf(urgency)
    begun = undefined
    const { draft, discard } = await drafted
    const putInPlace = () => {
      closing.signal.throwIfAborted()
      renameSync(draft, file)
    }
    try {
      const { segment, files } = await openWithFiles(draft)
      await switchTo({ segment, files, beforeSwitch: putInPlace })
      // If a power failure loses the rename, the only cost is another build.
      await syncFolder(dirname(file)).catch((error: unknown) => log.warn({ err: error }, 'a folder cannot be synced'))
      return files
    } finally {
      await discard()
    }
  }

  /** Makes a segment the active one. What has changed since it was built hides what it says. */
  async function switchTo({ segment, files, beforeSwitch = () => {} }: NextSegment): Promise<void> {
    try {
      const ofFiles = await compareFiles(files)
      const ofNotes = await changed.compare(files)
      // Open the old segment before its file is replaced, so that the new file is not opened in its place.
      await handle.use(async () => {}).catch(() => {})
      await catchUpAll([ofFiles, ofNotes], slices(closing.signal))
      beforeSwitch()
      const [missing, different] = [ofNotes.adopt(), ofFiles.adopt()]
      const [missed] = await Promise.all([missedNotes({ missing, different, changed }), goOver(segment, files)])
      onRebuilt(missed)
    } catch (error) {
      await segment.close()
      throw error
    }
  }

  function rebuild(urgency: Urgency): Promise<FileTable> {
    building ??= build(urgency).finally(() => {
      building = undefined
    })
    return building
  }

  function look(): void {
    const now = clock.monotonic()
    if (now - lastSearch > timing.restMs) void handle.rest()
    if (building || isOpening || closing.signal.aborted) return
    const least = opened === NO_SEGMENT ? 1 : WORTH_A_BUILD
    if (pace.isDue(now, { changed, lastChange, least })) void rebuildLater()
  }

  /** A build that no caller waits for. The next one starts only after a pause, which is longer if this build fails. */
  async function rebuildLater(): Promise<void> {
    const since = clock.monotonic()
    pace.began(since)
    try {
      await rebuild('later')
      pace.ended(clock.monotonic(), since)
    } catch (error) {
      if (!closing.signal.aborted) log.error({ err: error }, 'the search index cannot be built; the daemon tries again')
    }
  }

  const looking = setInterval(look, timing.lookMs)
  looking.unref()

  return {
    async open() {
      try {
        isOpening = true
        await switchTo(await openWithFiles(file))
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT') log.warn({ err: error }, 'the search index cannot be used and is rebuilt')
      } finally {
        isOpening = false
      }
      return table
    },
    put(stamp, note) {
      lastChange = clock.monotonic()
      changed.put(stamp, note)
    },
    remove(path) {
      lastChange = clock.monotonic()
      changed.remove(path, building || isOpening ? 'remember' : 'forget')
    },
    async find({ query, offset, limit, budget }) {
      lastSearch = clock.monotonic()
      await changed.whenRead()
      const { recent, holders, hiddenNotes, hidden } = changed.view(query)
      const isMissing = changed.hasMissing()
      const files = table
      try {
        return await handle.use(async (segment) => {
          const memory = memories.borrow()
          const findings = await inRoom(room, budget, (reserve) => {
            const view = { segment, budget, hidden, memory, reserve }
            return findInBoth({ view, table: files, hiddenNotes, recent, holders }, { query, offset, limit })
          })
          // After a timeout or an error, some reads of the search may still be in progress.
          if (!findings.partial) memories.giveBack(memory)
          return { ...findings, partial: findings.partial || isMissing }
        })
      } catch (error) {
        if (!(error instanceof SegmentUnusable) && errnoOf(error) === undefined) throw error
        log.warn({ err: error }, 'the search index is damaged and is rebuilt')
        void rebuildLater()
        return { found: [], total: 0, partial: true }
      }
    },
    size: () => opened.notes + changed.difference(),
    begin() {
      if (opened !== NO_SEGMENT || building || begun || closing.signal.aborted) return
      begun = draftOf('awaited')
      // The caller of `rebuild` gets the error.
      begun.catch(() => {})
    },
    rebuild: () => rebuild('awaited'),
    walk: (onFolders) =>
      table.count < WORTH_A_WALK || !hasRoomForWalk()
        ? undefined
        : walks.walk({ root, file, signal: closing.signal, onFolders }),
    stop() {
      clearInterval(looking)
      closing.abort()
    },
    async close() {
      clearInterval(looking)
      closing.abort()
      await building?.catch(() => {})
      await begun?.then(
        ({ discard }) => discard(),
        () => {},
      )
      await handle.close()
    },
  }
}
