import type { z } from 'zod'
import type { DeletedNote } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { authorView } from '../entry/author.ts'
import { isMarkdownName } from '../files/vault-path.ts'
import { slices } from '../watch/slices.ts'
import { RESTORED, restoredIn } from './commit-message.ts'
import { RECORD } from './git/git-records.ts'
import { LOG_MESSAGES, loggedMessage } from './git/logged-message.ts'
import type { OpenHistory, ReadGit } from './history-reader.ts'
import { BRANCH } from './import-stream.ts'
import type { NoteHistory } from './note-history.ts'
import { readCommits, type VaultCommit } from './vault-commits.ts'

type DeletedNoteView = z.infer<typeof DeletedNote>

type Range = {
  /** True for a note that is in the vault, or can be restored in another way. */
  isElsewhere(path: string, deletion: VaultCommit): Promise<boolean>
  limit: number
  offset: number
  /** Stops the search, when nobody waits for it any more. */
  signal: AbortSignal
}

/** The deleted notes that only the history still has, the last deleted first. */
export type ListDeletedNotes = (
  history: NoteHistory,
  range: Range,
) => Promise<{ notes: DeletedNoteView[]; hasMore: boolean }>

// Older deletions are not searched; each of them may have removed any number of notes.
const MAX_DELETIONS = 5000

/** Finds deleted notes in the history. A permanently deleted note is treated as if it had never existed. */
export function createListDeletedNotes({ open }: { open: OpenHistory }): ListDeletedNotes {
  return async (history, { isElsewhere, limit, offset, signal }) => {
    const git = await open(history)
    const notes: DeletedNoteView[] = []
    if (!git) return { notes, hasMore: false }

    const pause = slices(signal)
    const seen = new Set<string>()
    let skipped = 0
    const { commits } = await readCommits(git, { range: ['--diff-filter=D', BRANCH], most: MAX_DELETIONS })
    const isServed = await servedBy(history, git, commits)
    const isRestored = await restoredElsewhere(git, commits)
    for (const commit of commits) {
      const moved = new Set(commit.renames.map(({ from }) => from))
      for (const { path } of commit.files) {
        signal.throwIfAborted()
        await pause()
        if (seen.has(path)) continue
        seen.add(path)
        if (moved.has(path) || !isMarkdownName(path) || isRestored(path, commit)) continue
        if (await isElsewhere(path, commit)) continue
        if (!isServed(path, commit)) continue
        if (skipped++ < offset) continue
        if (notes.length === limit) return { notes, hasMore: true }
        const { parent, atMs, author } = commit
        notes.push({ path, rev: parent, deletedAt: new Date(atMs).toISOString(), deletedBy: authorView(author) })
      }
    }
    return { notes, hasMore: false }
  }
}

/** Whether what a commit has put into the trash was restored at another path, where it has a life of its own. */
async function restoredElsewhere(git: ReadGit, commits: readonly VaultCommit[]) {
  const notes = new Set<string>()
  const nameOf = (deletion: string, path: string) => `${deletion}\0${path}`
  if (commits.some(({ deletions }) => deletions.length > 0))
    await git.records([...LOG_MESSAGES, '--fixed-strings', `--grep=${RESTORED}`, BRANCH], (record) => {
      for (const { deletion, from } of restoredIn(loggedMessage(record).message)) notes.add(nameOf(deletion, from))
    })
  return (path: string, { deletions }: VaultCommit): boolean =>
    deletions.some((deletion) => notes.has(nameOf(deletion, path)))
}

/** Whether what a commit has deleted may still be read. The commits are in one line, so one run of git orders them. */
async function servedBy(history: NoteHistory, git: ReadGit, commits: readonly VaultCommit[]) {
  const ends = new Set<string>()
  for (const { path } of commits.flatMap(({ files }) => files)) {
    const withheld = history.withheld(path)
    if (withheld?.kind === 'up_to') ends.add(withheld.commit)
  }
  const ages =
    ends.size === 0 ? new Map<string, number>() : await agesOf(git, [...ends, ...commits.map(({ rev }) => rev)])
  return (path: string, { rev }: VaultCommit): boolean => {
    const withheld = history.withheld(path)
    if (withheld === undefined) return true
    if (withheld.kind === 'all') return false
    const [age, end] = [ages.get(rev), ages.get(withheld.commit)]
    return age !== undefined && end !== undefined && age < end
  }
}

/** The places of commits in the history, from the newest one. */
async function agesOf(git: ReadGit, revs: readonly string[]): Promise<Map<string, number>> {
  const wanted = new Set(revs)
  const ages = new Map<string, number>()
  let age = 0
  await git.records(['log', `--format=%H${RECORD}`, BRANCH], (record) => {
    const rev = record.trim()
    if (wanted.has(rev)) ages.set(rev, age)
    age++
    return ages.size === wanted.size ? 'stop' : undefined
  })
  return ages
}
