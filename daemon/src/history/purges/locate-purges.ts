import { BRANCH } from '../import-stream.ts'
import type { Repository } from '../repository.ts'
import { earlierNames } from './earlier-names.ts'
import { findDeletions, onceNotes, type RecordedDeletion } from './find-deletions.ts'
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
  if (purges.length === 0) return
  const found = await findDeletions(repository, purges)
  // The record can be lost in a kill. The end of the note is in the history when the notes have been compared with it,
  // and then everything so far may belong to the deleted note. What was in the trash as an attachment may have left its
  // path long ago to another note, from which nothing is withheld.
  const located = purges.filter(
    ({ deletion, fromTrash }) => isCompared || fromTrash !== undefined || found.has(deletion),
  )
  if (located.length === 0) return
  if (repository.isEmpty()) return purged.settle({ located, upTo: new Map() })

  const tip = (await repository.git(['rev-parse', BRANCH])).trim()
  const notes = await lastNotes(repository, { located, found, tip })
  const ends = new Map<string, Set<string>>()
  const withhold = (path: string, commit: string) => {
    const before = purged.upTo(path)
    if (!ends.has(path)) ends.set(path, new Set(before === undefined ? [] : [before]))
    ends.get(path)!.add(commit)
  }
  for (const { path, commit } of notes) withhold(path, commit)
  await earlierNames({ repository, notes, tip, visit: withhold })
  await purged.settle({ located, upTo: await newestOf(repository, ends) })
}

type Located = { located: readonly PendingPurge[]; found: ReadonlyMap<string, RecordedDeletion>; tip: string }

/**
 * The last path of each deleted note, and the commit up to which revisions there may belong to it. An attachment counts
 * if it was a note earlier.
 */
async function lastNotes(repository: Repository, { located, found, tip }: Located) {
  const isAttachment = ({ path, deletion, fromTrash }: PendingPurge) =>
    fromTrash !== undefined || found.get(deletion)?.attachments.has(path) === true
  const attachments = located.filter(isAttachment)
  const earlierNotes = await onceNotes(repository, attachments, ({ deletion }) => found.get(deletion)?.parent)
  return located
    .filter((purge) => !isAttachment(purge) || earlierNotes.has(purge))
    .map(({ path, deletion }) => ({ path, commit: found.get(deletion)?.commit ?? tip }))
}

/** The newest of the commits of each path. */
async function newestOf(repository: Repository, ends: ReadonlyMap<string, ReadonlySet<string>>) {
  const newest = new Map<string, string>()
  const places = new Map<string, number>()
  for (const [path, commits] of ends) {
    const [only = ''] = commits
    if (commits.size === 1) newest.set(path, only)
    else for (const commit of commits) places.set(commit, Number.POSITIVE_INFINITY)
  }
  if (places.size === 0) return newest
  let place = 0
  await repository.eachCommit((commit) => {
    if (places.has(commit)) places.set(commit, place)
    place++
  })
  const isLater = (one: string, other: string) => places.get(one)! < places.get(other)!
  for (const [path, commits] of ends)
    if (!newest.has(path))
      newest.set(
        path,
        [...commits].reduce((one, other) => (isLater(one, other) ? one : other)),
      )
  return newest
}
