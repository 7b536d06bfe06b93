import type { z } from 'zod'
import { createInTurns } from '@svc/shared/kit/in-turns.ts'
import type { AuthorsAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { countLines, type LineRuns } from '../edits/line-runs.ts'
import { authorView, outsideAuthor } from '../entry/author.ts'
import { fileTimeText } from '../files/file-date.ts'
import { identityKey, type VaultPath } from '../files/vault-path.ts'
import type { NoteHistory } from '../history/note-history.ts'
import type { Change } from '../history/pending-commits.ts'
import { ParsingStopped } from '../note-jobs/parsing-pool.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import { currentNote, LARGE_NOTE_BYTES, storedNote, type StoredNote } from '../notes/stored-note.ts'
import type { Vault } from '../vaults/vault.ts'
import type { WrittenLines } from '../vaults/vault-change.ts'
import {
  followChange,
  sourcesOf,
  type CommittedAuthors,
  type FindCommittedAuthors,
  type LineSource,
} from './committed-authors.ts'

/** The author of each run of lines of a note, in the text that it would have if it were saved now. */
export type NoteAuthors = (vault: Vault, path: VaultPath) => Promise<z.infer<typeof AuthorsAnswer>['note']>

type Deps = {
  findCommitted: FindCommittedAuthors
  historyOf: (vault: Vault) => NoteHistory
  runNoteJob: RunNoteJob
  maxNoteBytes: number
  now(): Date
}

/** A consistent view of a note: its committed, waiting, stored and unsaved texts at one time. */
type Moment = {
  stored: StoredNote
  current: StoredNote
  unsaved: WrittenLines | undefined
  pending: readonly Change[] | undefined
  writes: number
}

// After this many attempts on a note that changes all the time, return the last consistent state.
const MAX_LOOKS = 4
// Each holds the note several times, and the authors of one note wait for those of another anyway.
const LARGE_AT_ONCE = 2

/**
 * Finds the author of each line of a note. A line that is in no revision comes from a change that is not committed yet,
 * from an open session, or from outside. All are unknown if finding them takes too long or too much memory.
 */
export function createNoteAuthors({ findCommitted, historyOf, runNoteJob, maxNoteBytes, now }: Deps): NoteAuthors {
  const look = (vault: Vault, path: VaultPath): Promise<Moment> =>
    vault.queue.run(identityKey(path), async () => {
      const history = historyOf(vault)
      const stored = await storedNote({ vault, path, maxNoteBytes })
      const [pending, writes] = [history.pendingOf(stored.path), history.writes()]
      const current = await currentNote({ vault, path, maxNoteBytes })
      return { stored, current, unsaved: vault.live.written(path, stored.text), pending, writes }
    })

  /** The authors after the changes that are not committed yet. */
  async function followed(
    committed: CommittedAuthors,
    { stored, current, unsaved, pending }: Omit<Moment, 'writes'>,
  ): Promise<CommittedAuthors> {
    const sources = [...committed.sources]
    let { authorship } = committed
    for (const change of pending ?? []) {
      const text = change.bytes?.toString() ?? ''
      const next = { text, content: change.blob, ...sourcesOf(sources, change) }
      authorship = await followChange(runNoteJob, authorship, next)
    }
    const isKnown = authorship.text !== undefined
    const outside = { author: outsideAuthor, atMs: stored.stamp.mtimeMs }
    const found = isKnown ? sourcesOf(sources, outside) : { source: 0 }
    authorship = await followChange(runNoteJob, authorship, { text: stored.text, content: undefined, ...found })
    if (current.baseline !== stored.baseline) {
      const typed = sourcesOf(sources, { ...outside, atMs: now().getTime(), written: unsaved })
      authorship = await followChange(runNoteJob, authorship, { text: current.text, content: undefined, ...typed })
    }
    return { authorship, sources }
  }

  const find: NoteAuthors = async (vault, path) => {
    const history = historyOf(vault)
    for (let looks = 1; ; looks++) {
      const { stored, current, unsaved, pending, writes } = await look(vault, path)
      if (pending === undefined && looks < MAX_LOOKS) {
        await history.commitAll()
        continue
      }
      const lines = countLines(current.text)
      const note = { path: stored.path, baseline: current.baseline, lines }
      try {
        const committed = await findCommitted(vault, history, stored.path)
        if (history.writes() !== writes && looks < MAX_LOOKS) continue
        const { authorship, sources } = await followed(committed, { stored, current, unsaved, pending })
        return { ...note, runs: runsOf(authorship.runs, sources) }
      } catch (error) {
        if (!(error instanceof ParsingStopped)) throw error
        // Too large a note for the worker: nobody knows the authors of its lines.
        return { ...note, runs: lines === 0 ? [] : [{ line: 1, lines }] }
      }
    }
  }

  const inTurn = createInTurns(LARGE_AT_ONCE)
  return (vault, path) => {
    const known = vault.manifest.file(vault.manifest.onDisk(path))
    const isLarge = known !== undefined && known.stamp.size > LARGE_NOTE_BYTES
    return isLarge ? inTurn(() => find(vault, path)) : find(vault, path)
  }
}

function runsOf(runs: LineRuns<number>, sources: readonly LineSource[]) {
  let line = 1
  return runs.map(({ lines, by }) => {
    const { author, atMs, rev } = sources[by]!
    const run = {
      line,
      lines,
      ...(author && { author: authorView(author) }),
      ...(atMs !== undefined && { at: fileTimeText(atMs) }),
      ...(rev !== undefined && { rev }),
    }
    line += lines
    return run
  })
}
