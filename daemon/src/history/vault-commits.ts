import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { Author } from '../entry/author.ts'
import type { WrittenLines } from '../vaults/vault-change.ts'
import {
  changesIn,
  deletionsIn,
  integrationIn,
  isFound,
  movedIn,
  personIn,
  registrationIn,
  renamesIn,
  type MovedThing,
  type Rename,
} from './commit-message.ts'
import { RECORD } from './git/git-records.ts'
import type { OpenHistory, ReadGit } from './history-reader.ts'
import { authorIdOf, BRANCH } from './import-stream.ts'
import type { NoteHistory } from './note-history.ts'
import { writtenIn } from './written-lines.ts'

/** One file of a commit: the names of its content before and after; undefined where the file did not exist. */
export type CommittedFile = { path: string; before: string | undefined; after: string | undefined }

/** A commit of a vault with all that it changed. */
export type VaultCommit = {
  rev: string
  /** The revision before it; empty for the first one. */
  parent: string
  author: Author
  atMs: number
  /** Its notes are older than the history, so their authors are not known. */
  isFound: boolean
  /** The number of changes that were merged into it. */
  changes: number
  written: WrittenLines | undefined
  renames: Rename[]
  /** The attachments and folders that it moved. */
  moved: MovedThing[]
  /** The names of the deletions that it made. */
  deletions: string[]
  files: CommittedFile[]
}

/**
 * The commits of a vault after a time or a revision (`since`), oldest first, at most `most` of them; `hasMore` if there
 * are more. `untilThen` is the number of them up to a time or a revision (`until`), which must be one of them; without
 * `until`, all of them. The clock may have been set back: a time means the place before the first commit after it, and
 * all later commits count as later, whatever their times are. Commits just before that place that may be later are taken
 * both after `since` and up to `until`, so that none is missed.
 */
export type VaultCommits = (
  history: NoteHistory,
  range: { since: string; until?: string | undefined; most: number },
) => Promise<{ commits: VaultCommit[]; untilThen: number; hasMore: boolean }>

const FIELD = '\u001f'
const FORMAT = RECORD + ['%H', '%P', '%at', '%an', '%ae', '%B', ''].join(FIELD)
const GONE = /^0+$/

/** Reads the commits of a vault. */
export function createVaultCommits({ open, now }: { open: OpenHistory; now: () => Date }): VaultCommits {
  return async (history, { since, until, most }) => {
    const nothing = { commits: [], untilThen: 0, hasMore: false }
    const git = await open(history)
    if (!git) return nothing
    if (isRevision(since)) await refuseUnknown(git, since)
    const first = isRevision(since) ? undefined : await firstSince(git, since, now())
    if (!isRevision(since) && first === undefined) return { ...nothing, untilThen: countUntil([], until, now()) }
    const range = [BRANCH, first === undefined ? `^${since}` : `^${first}^@`]
    const { commits, isCut } = await readCommits(git, { range, most: most + 1 })
    const wanted = commits.slice(0, most).reverse()
    return { commits: wanted, untilThen: countUntil(wanted, until, now()), hasMore: isCut || commits.length > most }
  }
}

/**
 * The oldest commit whose time is after a moment, or that may be: the commits directly before it, or at the end of the
 * history, whose times are still to come, were made just before the clock was set back. The `--since` of git stops at
 * the newest commit that is older, and others before it may be newer. Commits beyond the limit of a log, some 600,000,
 * are not looked at.
 */
async function firstSince(git: ReadGit, since: string, now: Date): Promise<string | undefined> {
  // Commits have whole seconds.
  const sinceMs = Math.floor(Date.parse(since) / 1000) * 1000
  const latest = latestFor(sinceMs, now)
  let first: string | undefined
  let isNextLater = true
  await git.records(['log', `--format=%at %H${RECORD}`, BRANCH], (record) => {
    const [seconds = '', rev = ''] = record.trim().split(' ')
    const atMs = Number(seconds) * 1000
    if (rev === '') return
    // The time of a commit after now says nothing: it goes with the commit that came after it.
    if (atMs <= latest) isNextLater = atMs >= sinceMs
    if (isNextLater) first = rev
  })
  return first
}

/** The latest time of a commit that counts. A later one is that of a wrong clock, unless the moment is as late. */
const latestFor = (momentMs: number, now: Date): number =>
  momentMs > now.getTime() ? Number.POSITIVE_INFINITY : now.getTime()

const isRevision = (moment: string): boolean => /^[0-9a-f]+$/.test(moment)

function countUntil(commits: readonly VaultCommit[], until: string | undefined, now: Date): number {
  if (until === undefined) return commits.length
  if (isRevision(until)) {
    const last = commits.findIndex(({ rev }) => rev.startsWith(until))
    if (last === -1) throw fail('not_found', { reason: 'No revision after since has the name that until gives.' })
    return last + 1
  }
  const untilMs = Date.parse(until)
  const latest = latestFor(untilMs, now)
  const later = commits.findIndex(({ atMs }) => atMs > untilMs && atMs <= latest)
  return later === -1 ? commits.length : later
}

/**
 * Up to `most` commits of a range with what they changed of `path`, or of everything; the newest first. `isCut` if older
 * ones are left out, because the log is too long.
 */
export async function readCommits(
  git: ReadGit,
  { range, most, path }: { range: readonly string[]; most: number; path?: string },
): Promise<{ commits: VaultCommit[]; isCut: boolean }> {
  const how = ['--raw', '--no-abbrev', '--no-renames', '-z', `--format=${FORMAT}`, `--max-count=${most}`]
  const commits: VaultCommit[] = []
  const log = ['log', ...how, ...range, ...(path === undefined ? [] : ['--', path])]
  const { isCut } = await git.records(['--literal-pathspecs', ...log], (record) => {
    if (record.includes(FIELD)) commits.push(toCommit(record))
  })
  return { commits, isCut }
}

async function refuseUnknown(git: ReadGit, rev: string): Promise<void> {
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${rev}^{commit}`]
  const found = await git(asked).catch((error: unknown) => {
    // A typed failure says why git could not be asked. It does not say that there is no such commit.
    if (isFailure(error)) throw error
    return ''
  })
  if (found.trim() === '') throw fail('not_found')
}

function toCommit(record: string): VaultCommit {
  const [rev = '', parent = '', seconds, name = '', email = '', body = '', raw = ''] = record.split(FIELD)
  const [person, integration, registration] = [personIn(body), integrationIn(body), registrationIn(body)]
  const parts = raw.split('\0')
  const files: CommittedFile[] = []
  for (let at = 0; at < parts.length; at++) {
    const entry = /^\n?:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [A-Z]/.exec(parts[at]!)
    if (!entry) continue
    const nameOf = (content: string) => (GONE.test(content) ? undefined : content)
    files.push({ path: parts[++at]!, before: nameOf(entry[1]!), after: nameOf(entry[2]!) })
  }
  return {
    rev,
    parent,
    author: {
      id: authorIdOf(email),
      name,
      ...(person && { person }),
      ...(integration !== undefined && { integration }),
      ...(registration !== undefined && { registration }),
    },
    atMs: Number(seconds) * 1000,
    isFound: isFound(body),
    changes: changesIn(body),
    written: writtenIn(body),
    renames: renamesIn(body),
    moved: movedIn(body),
    deletions: deletionsIn(body),
    files,
  }
}
