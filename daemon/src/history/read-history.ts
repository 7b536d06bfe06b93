import type { SimpleGit } from 'simple-git'
import type { z } from 'zod'
import type { Revision } from '@svc/shared/wire/daemon-history.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { gitEnvironment } from './git-process.ts'
import { BRANCH } from './import-stream.ts'
import type { NoteHistory } from './note-history.ts'

type Range = { path: string; limit: number; offset: number }

/**
 * Reads the history of a note. What is still on its way is committed first, so a reader sees his own change. Revisions
 * of a note that was deleted for good are as if they had never been, whoever asks.
 */
export type ReadHistory = {
  revisions(history: NoteHistory, range: Range): Promise<{ revisions: z.infer<typeof Revision>[]; hasMore: boolean }>
  /** The text of a note in one revision. */
  textAt(history: NoteHistory, at: { path: string; rev: string }): Promise<string>
  /** What changed in a note between two revisions, in unified form. */
  diff(history: NoteHistory, between: { path: string; from: string; to: string }): Promise<string>
  /** Ids of the authors who deleted the note after a revision. */
  deletersSince(history: NoteHistory, at: { path: string; rev: string }): Promise<string[]>
}

const FIELD = '\u001f'
const RECORD = '\u001e'
const TIMEOUT_MS = 10_000

/** Makes the reader. */
export function readHistory({ searchPath }: { searchPath: string }): ReadHistory {
  async function open(history: NoteHistory): Promise<SimpleGit | undefined> {
    await history.settle()
    if (history.state() === 'unavailable') return undefined
    const { simpleGit } = await import('simple-git')
    return simpleGit({
      baseDir: history.gitDir,
      timeout: { block: TIMEOUT_MS },
      allowEnvironment: ['GIT_CONFIG_NOSYSTEM', 'GIT_CONFIG_GLOBAL', 'GIT_TERMINAL_PROMPT'],
      unsafe: { allowUnsafeConfigPaths: true },
    }).env(gitEnvironment(searchPath))
  }

  /** Runs git on revisions of a note once each of them is known to be a commit that may be served. */
  async function read(history: NoteHistory, path: string, revs: readonly string[], args: string[]): Promise<string> {
    const git = await open(history)
    const withheld = history.withheld(path)
    if (!git || withheld?.kind === 'all') throw fail('not_found')
    try {
      for (const rev of revs) {
        const range = withheld === undefined ? `${rev}^{commit}` : `${withheld.commit}..${rev}^{commit}`
        if ((await git.raw(['rev-list', '--max-count=1', range])) === '') throw fail('not_found')
      }
      return await git.raw(['--literal-pathspecs', ...args])
    } catch (error) {
      throw fail('not_found', undefined, { cause: error })
    }
  }

  return {
    async revisions(history, { path, limit, offset }) {
      const git = await open(history)
      const withheld = history.withheld(path)
      if (!git || withheld?.kind === 'all' || (await git.raw(['for-each-ref', BRANCH])) === '')
        return { revisions: [], hasMore: false }
      const format = ['%H', '%aI', '%an', '%ae', '%s'].join(FIELD) + RECORD
      const range = withheld === undefined ? BRANCH : `${withheld.commit}..${BRANCH}`
      const log = ['log', `--format=${format}`, `--max-count=${limit + 1}`, `--skip=${offset}`, range, '--', path]
      const records = (await git.raw(['--literal-pathspecs', ...log])).split(RECORD).map((record) => record.trimStart())
      const revisions = records.filter((record) => record !== '').map(toRevision)
      return { revisions: revisions.slice(0, limit), hasMore: revisions.length > limit }
    },
    textAt: (history, { path, rev }) => read(history, path, [rev], ['cat-file', 'blob', `${rev}:${path}`]),
    diff: (history, { path, from, to }) =>
      read(history, path, [from, to], ['diff', '--no-color', '--no-ext-diff', '--no-textconv', from, to, '--', path]),
    async deletersSince(history, { path, rev }) {
      const log = ['log', '--diff-filter=D', '--no-renames', '--format=%ae', `${rev}..${BRANCH}`, '--', path]
      const emails = await read(history, path, [rev], log)
      return emails
        .split('\n')
        .filter((email) => email !== '')
        .map(authorIdOf)
    },
  }
}

function toRevision(record: string): z.infer<typeof Revision> {
  const [rev = '', at = '', name = '', email = '', message = ''] = record.split(FIELD)
  return { rev, at: new Date(at).toISOString(), author: { id: authorIdOf(email), name }, message }
}

const authorIdOf = (email: string): string => email.slice(0, email.lastIndexOf('@'))
