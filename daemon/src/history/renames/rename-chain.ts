import { renameEnding, renameIn } from '../commit-message.ts'
import { BRANCH } from '../import-stream.ts'
import type { Withheld } from '../purges/purged-notes.ts'
import { leavingCommit } from './leaving-commit.ts'

/**
 * The revisions of a note while it had one path: those in `range`. `until` is the commit with which it left the path, if
 * any.
 */
export type Stretch = { path: string; range: string[]; until: string | undefined }

type Options = {
  git(args: readonly string[]): Promise<string>
  path: string
  /** The newest commit that counts. */
  tip?: string
  withheld(path: string): Withheld | undefined
}

/** A note that was renamed more often shows its revisions under the newest of its names. */
export const MOST_RENAMES = 100

/** The paths that a note has had, newest first. Withheld revisions are not included under any name. */
export async function* renameChain({ git, path, tip = BRANCH, withheld }: Options): AsyncGenerator<Stretch> {
  let name = path
  let until: string | undefined
  for (let renames = 0; renames <= MOST_RENAMES; renames++) {
    const hidden = withheld(name)
    if (hidden?.kind === 'all') return
    const newest = until === undefined ? tip : `${until}^`
    const base = hidden === undefined ? [newest] : [`^${hidden.commit}`, newest]
    const grep = ['--fixed-strings', `--grep=${renameEnding(name)}`]
    const log = ['log', '--max-count=1', '--format=%H %P%n%B', ...grep, ...base, '--', name]
    const found = await git(['--literal-pathspecs', ...log])
    const rename = renameIn(found, name)
    const [since = '', parent] = found.slice(0, found.indexOf('\n')).split(' ')
    // Nothing is older than the first commit, even if it renamed the note.
    if (!rename || !parent) {
      yield { path: name, range: base, until }
      return
    }
    yield { path: name, range: [...base, `^${parent}`], until }
    until = await leavingCommit({ git, rename, since })
    if (until === undefined) return
    name = rename.from
  }
}
