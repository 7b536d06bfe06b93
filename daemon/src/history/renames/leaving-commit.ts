import { deletionTrailer, type Rename } from '../commit-message.ts'

type Options = {
  git(args: readonly string[]): Promise<string>
  rename: Rename
  /** The commit that gave the note its new path. */
  since: string
}

/**
 * The commit with which a note left the path before a rename. A note that was deleted and restored elsewhere left it
 * with its deletion: what came to the path in between is another note. Undefined if that commit is not in the history.
 */
export async function leavingCommit({ git, rename, since }: Options): Promise<string | undefined> {
  if (rename.deletion === undefined) return since
  const grep = ['--fixed-strings', `--grep=${deletionTrailer(rename.deletion)}`]
  const log = ['log', '--max-count=1', '--format=%H %P', ...grep, since, '--', rename.from]
  const [left, parent] = (await git(['--literal-pathspecs', ...log])).trim().split(' ')
  // Nothing is older than the first commit.
  return parent === undefined ? undefined : left
}
