import { deletionsIn, deletionTrailer, RENAME, renamesIn, RESTORED, restoredIn } from '../commit-message.ts'
import { RECORD } from '../git/git-records.ts'
import { BRANCH } from '../import-stream.ts'
import { renameChain } from '../renames/rename-chain.ts'
import type { Repository } from '../repository.ts'

/** A note that was last at a path in a commit. */
type LastNote = { path: string; commit: string }

type Options = {
  repository: Pick<Repository, 'git' | 'records'>
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

async function ofEach({ repository: { git }, notes, visit }: Options): Promise<void> {
  for (const { path: last, commit } of notes)
    for await (const { path, until } of renameChain({ git, path: last, tip: commit, withheld: () => undefined }))
      if (until !== undefined) visit(path, until)
}

/** Goes back through the commits of moves and of deletions; a note is followed from its last commit on. */
async function ofAll({ repository, notes, tip, visit }: Options): Promise<void> {
  const byCommit = Map.groupBy(notes, ({ commit }) => commit)
  const paths = new Set<string>()
  const follow = (commit: string) => {
    for (const { path } of byCommit.get(commit) ?? []) paths.add(path)
  }
  follow(tip)
  const left = new Map<string, string[]>()
  const grep = ['--fixed-strings', ...[RENAME, RESTORED, deletionTrailer('')].map((text) => `--grep=${text}`)]
  await repository.records(['log', `--format=%H%n%B${RECORD}`, ...grep, BRANCH], (record) => {
    const [commit = '', ...lines] = record.trimStart().split('\n')
    const message = lines.join('\n')
    follow(commit)
    const come = (from: string) => {
      paths.add(from)
      visit(from, commit)
    }
    for (const { from, to } of renamesIn(message)) if (paths.delete(to)) come(from)
    // A note that was restored elsewhere left its earlier path with its deletion.
    for (const { from, to, deletion } of restoredIn(message))
      if (paths.delete(to)) left.set(deletion, [...(left.get(deletion) ?? []), from])
    for (const deletion of deletionsIn(message)) left.get(deletion)?.forEach(come)
  })
}
