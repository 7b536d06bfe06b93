import { deletionsIn, deletionTrailer, type Rename } from '../commit-message.ts'
import { newestMatch, type ReadRecords } from './newest-match.ts'

type Options = {
  records: ReadRecords
  rename: Rename
  /** The commit that gave the note its new path. */
  since: string
}

/**
 * The commit with which a note left the path before a rename. A note that was deleted and restored elsewhere left it
 * with its deletion: what came to the path in between is another note. Undefined if that commit is not in the history,
 * or is its first one, before which nothing is.
 */
export async function leavingCommit({ records, rename, since }: Options): Promise<string | undefined> {
  const { from, deletion } = rename
  if (deletion === undefined) return since
  const left = await newestMatch({
    records,
    text: deletionTrailer(deletion),
    range: [since, '--', from],
    match: (message) => (deletionsIn(message).includes(deletion) ? true : undefined),
  })
  return left?.parent === undefined ? undefined : left.commit
}
