import { deletionsIn, deletionTrailer, MOVED, RENAME, renamesIn, RESTORED, restoredIn } from '../commit-message.ts'
import { RECORD } from '../git/git-records.ts'
import { BRANCH } from '../import-stream.ts'
import { renameChain } from '../renames/rename-chain.ts'
import type { Repository } from '../repository.ts'

/** A note that was last at a path in a commit. */
type LastNote = { path: string; commit: string }

type Options = {
  repository: Pick<Repository, 'records'>
  notes: readonly LastNote[]
  /** The newest commit. */
  tip: string
  /** Called with each earlier path of a note, and the commit that moved the note away from there. */
  visit(path: string, until: string): void
}

// From here on, one pass through all moves takes less time than a run of git for each note.
const MANY = 20

/** Finds the paths that notes had before. */
export function earlierNames(options: Options): Promise<void> {
  return options.notes.length < MANY ? ofEach(options) : ofAll(options)
}

async function ofEach({ repository: { records }, notes, visit }: Options): Promise<void> {
  const all = { records, withheld: () => undefined, unknownDeletion: 'all' } as const
  for (const { path: last, commit } of notes)
    for await (const { path, until } of renameChain({ ...all, path: last, tip: commit }))
      if (until !== undefined) visit(path, until)
}

/**
 * Goes back through the commits of moves and of deletions; a note is followed from its last commit on. If it had become
 * an attachment, that is the commit about the attachment.
 */
async function ofAll({ repository, notes, tip, visit }: Options): Promise<void> {
  const byCommit = Map.groupBy(notes, ({ commit }) => commit)
  const paths = new Set<string>()
  const follow = (commit: string) => {
    for (const { path } of byCommit.get(commit) ?? []) paths.add(path)
  }
  follow(tip)
  // Notes that were restored elsewhere, by their deletion, with which they left their earlier paths.
  const restored = new Map<string, LastNote[]>()
  const grep = ['--fixed-strings', ...[RENAME, RESTORED, MOVED, deletionTrailer('')].map((text) => `--grep=${text}`)]
  await repository.records(['log', `--format=%H%n%B${RECORD}`, ...grep, BRANCH], (record) => {
    const [commit = '', ...lines] = record.trimStart().split('\n')
    const message = lines.join('\n')
    follow(commit)
    const come = (from: string) => {
      paths.add(from)
      visit(from, commit)
    }
    for (const { from, to } of renamesIn(message)) if (paths.delete(to)) come(from)
    for (const { from, to, deletion } of restoredIn(message)) {
      if (!paths.delete(to)) continue
      if (!restored.has(deletion)) restored.set(deletion, [])
      restored.get(deletion)!.push({ path: from, commit })
    }
    for (const deletion of deletionsIn(message)) {
      restored.get(deletion)?.forEach(({ path }) => come(path))
      // A deletion has a commit for each note, and the newest one covers all.
      restored.delete(deletion)
    }
  })
  // A deletion can be missing in the history. Everything until the restoration may belong to the note then.
  const unknown = [...restored.values()].flat()
  for (const { path, commit } of unknown) visit(path, commit)
  await ofEach({ repository, notes: unknown, tip, visit })
}
