import { personIn, renameIn } from './commit-message.ts'
import { RECORD } from './git/git-records.ts'
import type { ReadGit } from './history-reader.ts'
import { BRANCH } from './import-stream.ts'
import type { Withheld } from './purges/purged-notes.ts'
import { leavingCommit } from './renames/leaving-commit.ts'
import { MOST_RENAMES } from './renames/rename-chain.ts'

/** A commit of a note as git prints it, with the path that the note had then. */
export type LoggedCommit = {
  path: string
  rev: string
  at: string
  name: string
  email: string
  subject: string
  person: ReturnType<typeof personIn>
}

type Options = {
  git: ReadGit
  path: string
  offset: number
  most: number
  withheld(path: string): Withheld | undefined
}

// Older commits of a note are not listed.
const MOST_COMMITS = 10_000

const FIELD = '\u001f'
const FORMAT = ['%H', '%P', '%aI', '%an', '%ae', '%s', '%B'].join(FIELD) + RECORD

/**
 * The newest commits of a note after the first `offset`, the last one first, under every path that it has had. Git runs
 * once for each path; the commit that renamed the note names the path before it. Stops after `most` commits. Withheld
 * revisions are not included, nor those after a log that is too long to read.
 */
export async function noteLog({ git, path, offset, most, withheld }: Options): Promise<LoggedCommit[]> {
  const commits: LoggedCommit[] = []
  const last = Math.min(offset + most, MOST_COMMITS)
  let seen = 0
  let name = path
  let newest: string = BRANCH
  for (let renames = 0; renames <= MOST_RENAMES && seen < last; renames++) {
    const hidden = withheld(name)
    if (hidden?.kind === 'all') break
    const range = hidden === undefined ? [newest] : [`^${hidden.commit}`, newest]
    const log = ['log', `--format=${FORMAT}`, `--max-count=${last - seen}`, ...range, '--', name]
    let rename: ReturnType<typeof renameIn>
    let since = newest
    const { isCut } = await git.records(['--literal-pathspecs', ...log], (record) => {
      if (!record.includes(FIELD)) return undefined
      const [rev = '', parent = '', at = '', author = '', email = '', subject = '', body = ''] = record
        .trimStart()
        .split(FIELD)
      if (seen++ >= offset) commits.push({ path: name, rev, at, name: author, email, subject, person: personIn(body) })
      // Nothing is older than the first commit, even if it renamed the note.
      rename = parent === '' ? undefined : renameIn(body, name)
      since = rev
      return rename && 'stop'
    })
    if (!rename || isCut) break
    const left = await leavingCommit({ records: git.records, rename, since })
    if (left === undefined) break
    newest = `${left}^`
    name = rename.from
  }
  return commits
}
