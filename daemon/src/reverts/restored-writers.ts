import type { FindCommittedAuthors } from '../authors/committed-authors.ts'
import { unpackRuns } from '../edits/known-runs.ts'
import type { EarlierText } from '../edits/restored-lines.ts'
import type { LineAuthor } from '../entry/author.ts'
import type { NoteHistory } from '../history/note-history.ts'
import type { NoteTexts } from '../history/note-texts.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import { decodeNote } from '../notes/decode-note.ts'
import type { WrittenLines } from '../vaults/vault-change.ts'
import type { Vault } from '../vaults/vault.ts'

/**
 * A note that gets lines back: its content now, its content after the revert, and the object ids of its past contents,
 * the newest first.
 */
export type Restoring = { vault: Vault; path: string; now: string; text: string; revisions: readonly string[] }

/** Finds the authors of the lines that a revert restores, so that the lines keep them. */
export type FindRestoredWriters = (restoring: Restoring) => Promise<WrittenLines>

type Deps = {
  findCommitted: FindCommittedAuthors
  texts: NoteTexts
  historyOf: (vault: Vault) => NoteHistory
  runNoteJob: RunNoteJob
}

// The number of past texts to search. A line in none of them counts as written by the author of the revert.
const MAX_REVISIONS = 30
const MAX_BYTES = 64 * 1024 * 1024

/** Searches the past texts of a note for the authors. */
export function createRestoredWriters({ findCommitted, texts, historyOf, runNoteJob }: Deps): FindRestoredWriters {
  async function newestWithin(history: NoteHistory, newest: readonly string[]): Promise<string[]> {
    const names = newest.slice(0, MAX_REVISIONS)
    const sizes = await texts.sizes(history, names)
    let room = MAX_BYTES
    const end = sizes.findIndex((size) => (room -= size) < 0)
    return end === -1 ? names : names.slice(0, end)
  }

  return async ({ vault, path, now, text, revisions }) => {
    const history = historyOf(vault)
    const { authorship, sources } = await findCommitted(vault, history, path)
    const known = new Map(authorship.known)
    const names = await newestWithin(
      history,
      [...new Set(revisions)].filter((name) => known.has(name)),
    )
    const contents = await texts.contents(history, names)
    const earlier = names.map((name, index): EarlierText => ({
      text: decodeNote(contents[index]!) ?? '',
      runs: unpackRuns(known.get(name)!),
    }))
    const cost = earlier.reduce((sum, one) => sum + one.text.length, (earlier.length + 1) * text.length + now.length)
    const runs = await runNoteJob({ job: 'restored', input: { now, text, earlier }, cost })
    const writers = new Map<number, LineAuthor>()
    for (const [number, { author, atMs }] of sources.entries()) if (author) writers.set(number, { ...author, atMs })
    return runs.map(({ lines, by }) => ({ lines, by: by === undefined ? undefined : writers.get(by) }))
  }
}
