import { createInTurns } from '@svc/shared/kit/in-turns.ts'
import { noAuthorship, type Authorship, type AuthoredText } from '../edits/fold-authors.ts'
import type { Author } from '../entry/author.ts'
import type { NoteHistory } from '../history/note-history.ts'
import type { NoteRevision, NoteTexts } from '../history/note-texts.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import { decodeNote } from '../notes/decode-note.ts'
import { LARGE_NOTE_BYTES } from '../notes/stored-note.ts'
import type { WrittenLines } from '../vaults/vault-change.ts'

/** The origin of a line; without an author when it is older than the history, or than the revisions that were read. */
export type LineSource = { author?: Author; atMs?: number; rev?: string }

/** The authors of the lines of a note's newest committed text. Its runs refer to `sources` by number. */
export type CommittedAuthors = { authorship: Authorship; sources: readonly LineSource[] }

/** Finds the authors of the lines of a note's newest committed text. */
export type FindCommittedAuthors = (
  vault: { identity: string },
  history: NoteHistory,
  path: string,
) => Promise<CommittedAuthors>

type Deps = { texts: NoteTexts; runNoteJob: RunNoteJob }
/** A history that is opened anew counts its writes anew. The result of a closed one does not keep it in memory. */
type Kept = CommittedAuthors & { history: WeakRef<NoteHistory>; writes: number; rev: string | undefined }

// Older lines are returned without an author.
const MAX_REVISIONS = 2000
const MAX_BYTES = 64 * 1024 * 1024
const BATCH_BYTES = 4 * 1024 * 1024
// A batch takes several times its size until its authors are known.
const BATCHES_AT_ONCE = 2
const KEPT_NOTES = 16
const KEPT_CHARACTERS = 1024 * 1024
const KEPT_SOURCES = 20_000

const earlier: LineSource = {}

/** Finds authors in the committed revisions. Results of a few notes are kept, so that only newer revisions are read. */
export function createCommittedAuthors({ texts, runNoteJob }: Deps): FindCommittedAuthors {
  const kept = new Map<string, Kept>()
  const inTurn = createInTurns(BATCHES_AT_ONCE)

  async function newest(history: NoteHistory, path: string, known: Kept | undefined): Promise<Kept> {
    const writes = history.writes()
    const found = await texts.revisions(history, { path, since: known?.rev, most: MAX_REVISIONS })
    const from: CommittedAuthors = known && found.isSince ? known : { authorship: noAuthorship, sources: [earlier] }
    const authors = await follow(history, from, found)
    const rev = found.revisions.at(-1)?.rev ?? (found.isSince ? known?.rev : undefined)
    return { ...authors, history: new WeakRef(history), writes, rev }
  }

  async function follow(
    history: NoteHistory,
    { authorship, sources }: CommittedAuthors,
    { revisions, hasOlder }: { revisions: readonly NoteRevision[]; hasOlder: boolean },
  ): Promise<CommittedAuthors> {
    const names = revisions.flatMap(({ content }) => content ?? [])
    const lengths = new Map((await texts.sizes(history, names)).map((size, index) => [names[index]!, size]))
    const sizeOf = ({ content }: NoteRevision) => (content === undefined ? 0 : lengths.get(content)!)
    const known = newestWithin(revisions, sizeOf)
    const isCut = hasOlder || known.length < revisions.length
    const all = [...sources]
    let base = authorship
    const fold = async (batch: readonly NoteRevision[]): Promise<Authorship> => {
      const contents = await texts.contents(
        history,
        batch.flatMap(({ content }) => content ?? []),
      )
      const authored = batch.map((revision): AuthoredText => {
        const text = revision.content === undefined ? undefined : (decodeNote(contents.shift()!) ?? '')
        const isUnknown = revision.isFound || (isCut && revision === known[0])
        return { text, content: revision.content, ...(isUnknown ? { source: 0 } : sourcesOf(all, revision)) }
      })
      const cost = authored.reduce((sum, { text }) => sum + (text?.length ?? 0), base.text?.length ?? 0)
      return runNoteJob({ job: 'authors', input: { base, texts: authored }, cost })
    }
    for (const batch of batchesOf(known, sizeOf)) {
      const bytes = batch.reduce((sum, revision) => sum + sizeOf(revision), 0)
      base = await (bytes > LARGE_NOTE_BYTES ? inTurn(() => fold(batch)) : fold(batch))
    }
    return { authorship: base, sources: all }
  }

  function keep(key: string, found: Kept): void {
    kept.delete(key)
    if ((found.authorship.text?.length ?? 0) > KEPT_CHARACTERS || found.sources.length > KEPT_SOURCES) return
    kept.set(key, found)
    if (kept.size > KEPT_NOTES) kept.delete(kept.keys().next().value!)
  }

  return async (vault, history, path) => {
    const key = `${vault.identity}\0${path}`
    const known = kept.get(key)
    if (known?.writes === history.writes() && known.history.deref() === history) return known
    const found = await newest(history, path, known)
    keep(key, found)
    return found
  }
}

/** Numbers the sources of a change: its author, and the authors of single lines. */
export function sourcesOf(
  sources: LineSource[],
  change: { author: Author; atMs: number; rev?: string; written?: WrittenLines | undefined },
): Pick<AuthoredText, 'source' | 'written'> {
  const { author, atMs, written } = change
  const revision = change.rev === undefined ? {} : { rev: change.rev }
  const source = sources.push({ author, atMs, ...revision }) - 1
  if (!written) return { source }
  const numbers = new Map<unknown, number>()
  const runs = written.map(({ lines, by }) => {
    if (by === undefined) return { lines, by: undefined }
    const { atMs: since, ...one } = by
    const number = numbers.get(by) ?? sources.push({ author: one, atMs: since ?? atMs, ...revision }) - 1
    numbers.set(by, number)
    return { lines, by: number }
  })
  return { source, written: runs }
}

/** As many of the newest revisions as fit the limit, at least one. */
function newestWithin(revisions: readonly NoteRevision[], sizeOf: (revision: NoteRevision) => number) {
  let bytes = 0
  let first = revisions.length
  while (first > 0) {
    bytes += sizeOf(revisions[first - 1]!)
    if (bytes > MAX_BYTES && first < revisions.length) break
    first--
  }
  return revisions.slice(first)
}

function* batchesOf(revisions: readonly NoteRevision[], sizeOf: (revision: NoteRevision) => number) {
  let batch: NoteRevision[] = []
  let bytes = 0
  for (const revision of revisions) {
    batch.push(revision)
    bytes += sizeOf(revision)
    if (bytes < BATCH_BYTES) continue
    yield batch
    ;[batch, bytes] = [[], 0]
  }
  if (batch.length > 0) yield batch
}

/** The authorship after one more change, without leaving the event loop for small notes. */
export function followChange(runNoteJob: RunNoteJob, base: Authorship, next: AuthoredText): Promise<Authorship> {
  const cost = (base.text?.length ?? 0) + (next.text?.length ?? 0)
  return runNoteJob({ job: 'authors', input: { base, texts: [next] }, cost })
}
