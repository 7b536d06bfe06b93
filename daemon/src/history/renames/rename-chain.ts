import { renameEnding, renameIn } from '../commit-message.ts'
import { BRANCH } from '../import-stream.ts'
import type { Withheld } from '../purges/purged-notes.ts'
import { leavingCommit } from './leaving-commit.ts'
import { newestMatch, type ReadRecords } from './newest-match.ts'

/**
 * The revisions of a note while it had one path: those in `range`. `until` is the commit with which it left the path, if
 * any.
 */
export type Stretch = { path: string; range: string[]; until: string | undefined }

type Options = {
  records: ReadRecords
  path: string
  /** The newest commit that counts. */
  tip?: string
  withheld(path: string): Withheld | undefined
  /**
   * What a note had before it was deleted and restored elsewhere, if the deletion is not in the history: nothing, or all
   * that is at the earlier path until the restoration.
   */
  unknownDeletion?: 'nothing' | 'all'
}

/** A note that was renamed more often shows its revisions under the newest of its names. */
export const MOST_RENAMES = 100

/** The paths that a note has had, newest first. Withheld revisions are not included under any name. */
export async function* renameChain(options: Options): AsyncGenerator<Stretch> {
  const { records, path, tip = BRANCH, withheld, unknownDeletion = 'nothing' } = options
  let name = path
  let until: string | undefined
  for (let renames = 0; renames <= MOST_RENAMES; renames++) {
    const hidden = withheld(name)
    if (hidden?.kind === 'all') return
    const newest = until === undefined ? tip : `${until}^`
    const base = hidden === undefined ? [newest] : [`^${hidden.commit}`, newest]
    const renamed = await newestMatch({
      records,
      text: renameEnding(name),
      range: [...base, '--', name],
      match: (message) => renameIn(message, name),
    })
    // Nothing is older than the first commit, even if it renamed the note.
    if (renamed?.parent === undefined) {
      yield { path: name, range: base, until }
      return
    }
    const { commit: since, parent, found: rename } = renamed
    yield { path: name, range: [...base, `^${parent}`], until }
    const left = await leavingCommit({ records, rename, since })
    until = left ?? (unknownDeletion === 'all' ? since : undefined)
    if (until === undefined) return
    name = rename.from
  }
}
