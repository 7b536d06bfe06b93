import type { z } from 'zod'
import type { DeletedNote } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { authorView } from '../entry/author.ts'
import { isMarkdownName } from '../files/vault-path.ts'
import { slices } from '../watch/slices.ts'
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
  return async (history, { isElsewhere, limit, offset }) => {
    const git = await open(history)
    const notes: DeletedNoteView[] = []
    if (!git) return { notes, hasMore: false }

    const pause = slices()
    const isServed = servedBy(history, git)
    const seen = new Set<string>()
    let skipped = 0
    const { commits } = await readCommits(git, { range: ['--diff-filter=D', BRANCH], most: MAX_DELETIONS })
    for (const commit of commits) {
      const moved = new Set(commit.renames.map(({ from }) => from))
      for (const { path } of commit.files) {
        await pause()
        if (seen.has(path)) continue
        seen.add(path)
        if (moved.has(path) || !isMarkdownName(path) || (await isElsewhere(path, commit))) continue
        if (!(await isServed(path, commit))) continue
        if (skipped++ < offset) continue
        if (notes.length === limit) return { notes, hasMore: true }
        const { parent, atMs, author } = commit
        notes.push({ path, rev: parent, deletedAt: new Date(atMs).toISOString(), deletedBy: authorView(author) })
      }
    }
    return { notes, hasMore: false }
  }
}

/** Whether what a commit has deleted may still be read. */
function servedBy(history: NoteHistory, git: ReadGit) {
  return async (path: string, { rev }: VaultCommit): Promise<boolean> => {
    const withheld = history.withheld(path)
    if (withheld?.kind === 'all') return false
    return withheld === undefined || (await git(['rev-list', '--max-count=1', rev, `^${withheld.commit}`])) !== ''
  }
}
