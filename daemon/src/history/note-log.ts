import { renameIn } from './commit-message.ts'
import type { ReadGit } from './history-reader.ts'
import { BRANCH } from './import-stream.ts'
import type { Withheld } from './purged-notes.ts'
import { MOST_RENAMES } from './renames/rename-chain.ts'

/** A commit of a note as git prints it, with the path that the note had then. */
export type LoggedCommit = {
  path: string
  rev: string
  at: string
  name: string
  email: string
  subject: string
  body: string
}

type Options = { git: ReadGit; path: string; most: number; withheld(path: string): Withheld | undefined }

// The largest number that git accepts.
const MOST_COUNTED = 2 ** 31 - 1

const FIELD = '\u001f'
const RECORD = '\u001e'
const FORMAT = ['%H', '%aI', '%an', '%ae', '%s', '%B'].join(FIELD) + RECORD

/**
 * The newest commits of a note, the last one first, under every path that it has had. Git runs once for each path; the
 * commit that renamed the note names the path before it. Stops after `most` commits. Withheld revisions are not
 * included.
 */
export async function noteLog({ git, path, most, withheld }: Options): Promise<LoggedCommit[]> {
  const commits: LoggedCommit[] = []
  let name = path
  let newest: string = BRANCH
  for (let renames = 0; renames <= MOST_RENAMES && commits.length < most; renames++) {
    const hidden = withheld(name)
    if (hidden?.kind === 'all') break
    const range = hidden === undefined ? [newest] : [`^${hidden.commit}`, newest]
    const count = Math.min(most - commits.length, MOST_COUNTED)
    const log = ['log', `--format=${FORMAT}`, `--max-count=${count}`, ...range, '--', name]
    let rename: ReturnType<typeof renameIn>
    for (const commit of commitsIn(await git(['--literal-pathspecs', ...log]), name)) {
      commits.push(commit)
      rename = renameIn(commit.body, name)
      newest = `${commit.rev}^`
      if (rename) break
    }
    if (!rename) break
    name = rename.from
  }
  return commits
}

const commitsIn = (log: string, path: string): LoggedCommit[] =>
  log
    .split(RECORD)
    .map((record) => record.trimStart())
    .filter((record) => record !== '')
    .map((record) => {
      const [rev = '', at = '', name = '', email = '', subject = '', body = ''] = record.split(FIELD)
      return { path, rev, at, name, email, subject, body }
    })
