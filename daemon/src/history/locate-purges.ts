import { deletionTrailer } from './commit-message.ts'
import { BRANCH } from './import-stream.ts'
import type { PurgedNotes, PendingPurge } from './purged-notes.ts'
import { renameChain } from './renames/rename-chain.ts'
import type { Repository } from './repository.ts'

type Options = { repository: Repository; purged: PurgedNotes; purges: readonly PendingPurge[] }

/**
 * Finds the commits up to which the revisions of permanently deleted notes are withheld, under every name that
 * such a note has had.
 */
export async function locatePurges({ repository, purged, purges }: Options): Promise<void> {
  const { git } = repository

  async function later(commit: string, other: string | undefined): Promise<string> {
    if (other === undefined) return commit
    return (await git(['rev-list', '--max-count=1', `${other}..${commit}`])) === '' ? other : commit
  }

  async function lastWithheld({ deletion, before }: PendingPurge): Promise<string> {
    const grep = ['--fixed-strings', `--grep=${deletionTrailer(deletion)}`]
    const deleted = (await git(['log', '--max-count=1', '--format=%H', ...grep, BRANCH])).trim()
    // The commit of the deletion can be lost with the queue. Then everything so far may belong to the deleted note.
    return later(deleted === '' ? (await git(['rev-parse', BRANCH])).trim() : deleted, before)
  }

  async function withholdEarlierNames({ path, before }: PendingPurge, tip: string): Promise<void> {
    const withheld = (name: string) => {
      if (name !== path) return purged.withheld(name)
      return before === undefined ? undefined : { kind: 'up_to' as const, commit: before }
    }
    for await (const { path: name, until } of renameChain({ git, path, tip, withheld })) {
      if (until === undefined) continue
      const hidden = purged.withheld(name)
      if (hidden?.kind !== 'all') await purged.withholdUpTo(name, await later(until, hidden?.commit))
    }
  }

  for (const purge of purges) {
    if (repository.isEmpty()) {
      await purged.located(purge, undefined)
      continue
    }
    const upTo = await lastWithheld(purge)
    await withholdEarlierNames(purge, upTo)
    await purged.located(purge, upTo)
  }
}
