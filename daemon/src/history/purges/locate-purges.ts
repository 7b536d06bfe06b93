import { deletionTrailer } from '../commit-message.ts'
import { BRANCH } from '../import-stream.ts'
import { renameChain } from '../renames/rename-chain.ts'
import type { Repository } from '../repository.ts'
import type { PurgedNotes, PendingPurge } from './purged-notes.ts'

type Options = {
  repository: Repository
  purged: PurgedNotes
  purges: readonly PendingPurge[]
  /** True when the notes were compared with this history, and what was not recorded has been committed. */
  isCompared: boolean
}

/**
 * Finds the commits up to which the revisions of permanently deleted notes are withheld, under every name that
 * such a note has had.
 */
export async function locatePurges({ repository, purged, purges, isCompared }: Options): Promise<void> {
  const { git } = repository
  const located: PendingPurge[] = []
  const upTo = new Map<string, string>()
  const commits = new Map<string, string | undefined>()

  /** The newest commit of a deletion; undefined if it was not recorded. */
  async function commitOf(deletion: string): Promise<string | undefined> {
    if (repository.isEmpty()) return undefined
    if (!commits.has(deletion)) {
      const grep = ['--fixed-strings', `--grep=${deletionTrailer(deletion)}`]
      const found = (await git(['log', '--max-count=1', '--format=%H', ...grep, BRANCH])).trim()
      commits.set(deletion, found === '' ? undefined : found)
    }
    return commits.get(deletion)
  }

  async function withhold(path: string, commit: string): Promise<void> {
    const other = upTo.get(path) ?? purged.upTo(path)
    const isLater = other === undefined || (await git(['rev-list', '--max-count=1', `${other}..${commit}`])) !== ''
    if (isLater) upTo.set(path, commit)
  }

  for (const purge of purges) {
    const recorded = await commitOf(purge.deletion)
    // The record can be lost in a kill. The end of the note is in the history when the notes have been compared with it,
    // and then everything so far may belong to the deleted note.
    if (recorded === undefined && !isCompared) continue
    located.push(purge)
    if (repository.isEmpty()) continue
    const tip = recorded ?? (await git(['rev-parse', BRANCH])).trim()
    await withhold(purge.path, tip)
    // Names that an earlier deletion has withheld count too: that deletion may have been of another note.
    for await (const { path, until } of renameChain({ git, path: purge.path, tip, withheld: () => undefined }))
      if (until !== undefined) await withhold(path, until)
  }
  if (located.length > 0) await purged.settle({ located, upTo })
}
