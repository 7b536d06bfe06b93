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
// What a commit changed comes after its record, so it is at the beginning of the next one.
const FORMAT = ['', '%H', '%P', '%aI', '%an', '%ae', '%s', '%B'].join(FIELD) + RECORD
const HOW = ['--raw', '-z', '--no-renames', `--format=${FORMAT}`]

/**
 * The newest commits of a note after the first `offset`, the last one first, under every path that it has had. Git runs
 * once for each path; the commit that renamed the note names the path before it. Stops after `most` commits. Withheld
 * revisions are not included, nor those after a log that is too long to read. To git, a path also stands for all files
 * of a folder with this name: their commits are not included.
 */
export async function noteLog({ git, path, offset, most, withheld }: Options): Promise<LoggedCommit[]> {
  const commits: LoggedCommit[] = []
  const last = Math.min(offset + most, MOST_COMMITS)
  let read = 0
  let seen = 0
  let name = path
  let newest: string = BRANCH
  for (let renames = 0; renames <= MOST_RENAMES && seen < last && read < MOST_COMMITS; renames++) {
    const hidden = withheld(name)
    if (hidden?.kind === 'all') break
    const range = hidden === undefined ? [newest] : [`^${hidden.commit}`, newest]
    const log = ['log', ...HOW, `--max-count=${MOST_COMMITS - read}`, ...range, '--', name]
    let rename: ReturnType<typeof renameIn>
    let since = newest
    let unsure: LoggedCommit | undefined
    const take = (commit: LoggedCommit) => {
      if (seen++ >= offset) commits.push(commit)
    }
    const { isCut } = await git.records(['--literal-pathspecs', ...log], (record) => {
      const [changed = '', rev, parent = '', at = '', author = '', email = '', subject = '', body = ''] =
        record.split(FIELD)
      if (unsure && changed.split('\0').includes(name)) take(unsure)
      unsure = undefined
      if (seen >= last) return 'stop'
      if (rev === undefined) return undefined
      read++
      const commit = { path: name, rev, at, name: author, email, subject, person: personIn(body) }
      // Nothing is older than the first commit, even if it renamed the note.
      rename = parent === '' ? undefined : renameIn(body, name)
      since = rev
      if (rename) take(commit)
      else unsure = commit
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
