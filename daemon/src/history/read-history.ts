import type { z } from 'zod'
import type { Revision } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { Deleter } from '../entry/actor.ts'
import { authorView } from '../entry/author.ts'
import type { Reserve } from '../http/text-room.ts'
import type { OpenHistory, ReadGit } from './history-reader.ts'
import { authorIdOf, BRANCH } from './import-stream.ts'
import type { NoteHistory } from './note-history.ts'
import { noteLog, type LoggedCommit } from './note-log.ts'
import { deletersSince } from './renames/deleters-since.ts'
import { renameChain, type Stretch } from './renames/rename-chain.ts'
import { readCommits } from './vault-commits.ts'

type Range = { path: string; limit: number; offset: number }
/** `reserve` is called with the bytes of a text before it is read. */
type Reserving = { path: string; reserve?: Reserve }
/** A deletion that put a note into the trash: its name, and the name of the content that the note had. */
type Deletion = { path: string; deletion: string; content: string }
type RevisionView = z.infer<typeof Revision>

/**
 * Reads the history of a note, under every path that it has had. Revisions of a permanently deleted note are treated as
 * if they had never existed, for every caller.
 */
export type ReadHistory = {
  revisions(history: NoteHistory, range: Range): Promise<{ revisions: RevisionView[]; hasMore: boolean }>
  /** The text of a note in one revision. */
  textAt(history: NoteHistory, at: Reserving & { rev: string }): Promise<string>
  /** What changed in a note between two revisions, in unified form. */
  diff(history: NoteHistory, between: Reserving & { from: string; to: string }): Promise<string>
  /** Who deleted the note after a revision, wherever it was then. */
  deletersSince(history: NoteHistory, at: { path: string; rev: string }): Promise<Deleter[]>
  /** The deletion that ended the life of the note that had this revision, if it was put into the trash. */
  deletionAfter(history: NoteHistory, at: { path: string; rev: string }): Promise<Deletion | undefined>
}

/** Reads revisions, differences and old texts of notes with git. */
export function readHistory({ open }: { open: OpenHistory }): ReadHistory {
  async function read<T>(history: NoteHistory, run: (git: ReadGit) => Promise<T>): Promise<T> {
    const git = await open(history)
    if (!git) throw fail('not_found')
    return run(git)
  }

  /** The stretch of a note's life that a revision belongs to. */
  async function stretchAt(history: NoteHistory, git: ReadGit, { path, rev }: { path: string; rev: string }) {
    for await (const stretch of renameChain({ records: git.records, path, withheld: history.withheld })) {
      const [commit] = await knownCommit(git, rev, stretch)
      if (commit) return { ...stretch, rev: commit }
    }
    throw fail('not_found')
  }

  /** The name of the content at a path in a revision; undefined if there is none. A folder is `not_found`. */
  async function contentAt(git: ReadGit, { path, rev }: { path: string; rev: string }): Promise<string | undefined> {
    const entry = await git(['--literal-pathspecs', 'ls-tree', '-z', rev, '--', path])
    if (entry === '') return undefined
    const [, kind, name] = entry.slice(0, entry.indexOf('\t')).split(' ')
    // The files of a folder may be withheld.
    if (kind !== 'blob') throw fail('not_found')
    return name
  }

  /** Takes room for contents: for their bytes, and for the text that is made of them. */
  async function reserveFor(git: ReadGit, names: readonly (string | undefined)[], reserve: Reserve | undefined) {
    if (!reserve) return
    let bytes = 0
    for (const name of names) if (name !== undefined) bytes += Number(await git(['cat-file', '-s', name]))
    await reserve(2 * bytes)
  }

  async function blob(history: NoteHistory, git: ReadGit, name: string): Promise<string> {
    try {
      return await git(['cat-file', 'blob', name])
    } catch (error) {
      history.doubt(error)
      throw error
    }
  }

  return {
    async revisions(history, { path, limit, offset }) {
      const git = await open(history)
      if (!git) return { revisions: [], hasMore: false }
      const commits = await noteLog({ git, path, offset, most: limit + 1, withheld: history.withheld })
      return { revisions: commits.slice(0, limit).map(toRevision), hasMore: commits.length > limit }
    },
    textAt: (history, at) =>
      read(history, async (git) => {
        const name = await contentAt(git, await stretchAt(history, git, at))
        if (name === undefined) throw fail('not_found')
        await reserveFor(git, [name], at.reserve)
        return blob(history, git, name)
      }),
    diff: (history, { path, from, to, reserve }) =>
      read(history, async (git) => {
        const [before, after] = [
          await stretchAt(history, git, { path, rev: from }),
          await stretchAt(history, git, { path, rev: to }),
        ]
        const [was, is] = [await contentAt(git, before), await contentAt(git, after)]
        await reserveFor(git, [was, is], reserve)
        const how = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames']
        if (before.path === after.path)
          return git(['--literal-pathspecs', ...how, before.rev, after.rev, '--', after.path])
        if (was === undefined || is === undefined) throw fail('not_found')
        return git([...how, `${before.rev}:${before.path}`, `${after.rev}:${after.path}`])
      }),
    deletersSince: (history, at) =>
      read(history, async (git) => {
        const { rev, path: pathThen } = await stretchAt(history, git, at)
        return deletersSince({ records: git.records, path: at.path, pathThen, rev })
      }),
    deletionAfter: (history, { path, rev }) =>
      read(history, async (git) => {
        const range = ['--diff-filter=D', `${rev}..${BRANCH}`]
        const { commits } = await readCommits(git, { range, most: 2, path })
        // With several, the last one removed another note of this path.
        const [commit, ...others] = commits
        const [deletion, content] = [commit?.deletions[0], commit?.files.find((file) => file.path === path)?.before]
        if (others.length > 0 || deletion === undefined || content === undefined) return undefined
        return { path, deletion, content }
      }),
  }
}

/** The commit that a revision names, if it is in a stretch. */
async function knownCommit(git: ReadGit, rev: string, { range }: Stretch): Promise<string[]> {
  const base = range.filter((part) => part.startsWith('^'))
  const newest = range.find((part) => !part.startsWith('^'))
  try {
    const commit = (await git(['rev-list', '--max-count=1', `${rev}^{commit}`, ...base])).trim()
    if (commit === '') return []
    const isLater = (await git(['rev-list', '--max-count=1', commit, `^${newest}`])) !== ''
    return isLater ? [] : [commit]
  } catch (error) {
    // A typed failure says why git could not be asked. It does not say that there is no such commit.
    if (isFailure(error)) throw error
    throw fail('not_found', undefined, { cause: error })
  }
}

function toRevision({ rev, at, name, email, subject, person, path }: LoggedCommit): RevisionView {
  const author = authorView({ id: authorIdOf(email), name, person })
  return { rev, at: new Date(at).toISOString(), author, message: subject, path }
}
