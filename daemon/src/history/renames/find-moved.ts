import { renameBeginning, renameFrom } from '../commit-message.ts'
import { RECORD } from '../git/git-records.ts'
import type { OpenHistory, ReadGit } from '../history-reader.ts'
import { BRANCH } from '../import-stream.ts'
import type { NoteHistory } from '../note-history.ts'
import { MOST_RENAMES } from './rename-chain.ts'

/** Finds the present path of the note that was last at a path; undefined if it was deleted or was never there. */
export type FindMoved = (history: NoteHistory, path: string) => Promise<string | undefined>

/** Follows the renames in the history. Reveals nothing about a permanently deleted note. */
export function createFindMoved({ open }: { open: OpenHistory }): FindMoved {
  return async (history, path) => {
    const git = await open(history)
    if (!git) return undefined
    const removals = async (name: string, range: readonly string[]): Promise<string[]> => {
      const how = ['--no-renames', '--diff-filter=D', '--name-only', '-z', `--format=${RECORD}%H`]
      const commits: string[] = []
      await git.records(['--literal-pathspecs', 'log', ...how, ...range, '--', name], (record) => {
        const [commit = '', ...removed] = record.split(/\0\n?/)
        // To git, a path also stands for all files of a folder with this name.
        if (removed.includes(name)) commits.push(commit)
      })
      return commits
    }
    /** A note that moved before it was in the history was not removed in it. Only the move was recorded. */
    const recordedMove = async (name: string, range: readonly string[]): Promise<string | undefined> => {
      const grep = ['--fixed-strings', `--grep=${renameBeginning(name)}`]
      return (await git(['log', '--max-count=1', '--format=%H', ...grep, ...range])).trim() || undefined
    }

    const hidden = history.withheld(path)
    if (hidden?.kind === 'all') return undefined
    const served = hidden === undefined ? [BRANCH] : [`^${hidden.commit}`, BRANCH]
    let name = path
    let [commit] = await removals(name, served)
    commit ??= await recordedMove(name, served)
    for (let renames = 0; commit !== undefined && renames < MOST_RENAMES; renames++) {
      const to = renameFrom(await messageOf(git, commit), name)
      if (to === undefined) return undefined
      name = to
      // The first removal since: another note may have appeared at the path later, and left it too.
      commit = (await removals(name, [`^${commit}`, BRANCH])).at(-1)
    }
    return name === path || commit !== undefined ? undefined : name
  }
}

const messageOf = (git: ReadGit, commit: string) => git(['log', '--max-count=1', '--format=%B', commit])
