import type { DueCatchUp } from '../due-catch-up.ts'
import { BRANCH } from '../import-stream.ts'
import type { Repository } from '../repository.ts'
import type { PurgedNotes } from './purged-notes.ts'

type Options = { repository: Repository; purged: PurgedNotes; catchingUp: Pick<DueCatchUp, 'leaveOut'> }

/**
 * Makes the list of permanently deleted notes fit a repository that was just opened. A new one has nothing to withhold.
 * One that was restored or replaced may lack a commit of the list; then everything so far may belong to the deleted
 * note.
 */
export async function preparePurges({ repository, purged, catchingUp }: Options): Promise<void> {
  // A kill can lose the record of a deletion. The comparison commits it, however many other notes are gone.
  for (const { path } of purged.pending()) catchingUp.leaveOut({ path, kind: 'deleted' })
  if (repository.isEmpty()) return purged.startAnew()
  const unknown = purged.commits()
  if (unknown.size === 0) return
  await repository.eachCommit((commit) => void unknown.delete(commit))
  if (unknown.size === 0) return
  const tip = (await repository.git(['rev-parse', BRANCH])).trim()
  await purged.replaceCommits((commit) => (unknown.has(commit) ? tip : commit))
}
