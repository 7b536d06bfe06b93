import type { SimpleGit } from 'simple-git'
import type { z } from 'zod'
import type { Revision } from '@svc/shared/wire/daemon-history.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { gitEnvironment } from './git-process.ts'
import { BRANCH } from './import-stream.ts'
import type { NoteHistory } from './note-history.ts'

type Range = { path: string; limit: number; offset: number }

/** Reads the history of a note. What is still on its way is committed first, so a reader sees his own change. */
export type ReadHistory = {
  revisions(history: NoteHistory, range: Range): Promise<{ revisions: z.infer<typeof Revision>[]; hasMore: boolean }>
  /** The text of a note in one revision. */
  textAt(history: NoteHistory, at: { path: string; rev: string }): Promise<string>
  /** What changed in a note between two revisions, in unified form. */
  diff(history: NoteHistory, between: { path: string; from: string; to: string }): Promise<string>
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

  async function read(history: NoteHistory, args: string[]): Promise<string> {
    const git = await open(history)
    if (!git) throw fail('not_found')
    return git.raw(['--literal-pathspecs', ...args]).catch((error: unknown) => {
      throw fail('not_found', undefined, { cause: error })
    })
  }

  return {
    async revisions(history, { path, limit, offset }) {
      const git = await open(history)
      if (!git || (await git.raw(['for-each-ref', BRANCH])) === '') return { revisions: [], hasMore: false }
      const format = ['%H', '%aI', '%an', '%ae', '%s'].join(FIELD) + RECORD
      const log = ['log', `--format=${format}`, `--max-count=${limit + 1}`, `--skip=${offset}`, BRANCH, '--', path]
      const records = (await git.raw(['--literal-pathspecs', ...log])).split(RECORD).map((record) => record.trimStart())
      const revisions = records.filter((record) => record !== '').map(toRevision)
      return { revisions: revisions.slice(0, limit), hasMore: revisions.length > limit }
    },
    textAt: (history, { path, rev }) => read(history, ['cat-file', 'blob', `${rev}:${path}`]),
    diff: (history, { path, from, to }) =>
      read(history, ['diff', '--no-color', '--no-ext-diff', '--no-textconv', from, to, '--', path]),
  }
}

function toRevision(record: string): z.infer<typeof Revision> {
  const [rev = '', at = '', name = '', email = '', message = ''] = record.split(FIELD)
  return { rev, at: new Date(at).toISOString(), author: { id: email.split('@')[0] ?? '', name }, message }
}
