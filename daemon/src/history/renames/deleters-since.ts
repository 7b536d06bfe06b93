import type { Deleter } from '../../entry/actor.ts'
import {
  commitMessage,
  deletionsIn,
  deletionSubject,
  deletionTrailer,
  personIn,
  RENAME,
  renamesIn,
  RESTORED,
  restoredIn,
} from '../commit-message.ts'
import { RECORD } from '../git/git-records.ts'
import type { ReadGit } from '../history-reader.ts'
import { authorIdOf, BRANCH } from '../import-stream.ts'
import { followNote } from './follow-note.ts'
import { MOST_RENAMES } from './rename-chain.ts'

type Options = {
  records: ReadGit['records']
  path: string
  /** The path of the note at the revision, from which it came to `path`. */
  pathThen: string
  rev: string
}

const FIELD = '\u001f'
/** Stands for deleters who are not known. Nobody has this id. */
export const NOT_KNOWN: Deleter = { id: '' }

/**
 * The authors who deleted a note after a revision, at its path and at those to which it was moved or restored
 * since. A move is not a deletion. Two runs of git, however often the note was moved.
 */
export async function deletersSince({ records, path, pathThen, rev }: Options): Promise<Deleter[]> {
  const range = `${rev}..${BRANCH}`
  const names = await laterNames({ records, path, pathThen, range })
  if (names === undefined) return [NOT_KNOWN]

  const note = followNote([path, pathThen])
  let wasAtPath = path === pathThen
  const deleters = new Map<string, Deleter>()
  const format = RECORD + ['%ae', '%B', ''].join(FIELD)
  const how = ['--reverse', '--diff-filter=AD', '--no-renames', '--name-status', '-z', `--format=${format}`]
  const { isCut } = await records(['--literal-pathspecs', 'log', ...how, range, '--', ...names], (record) => {
    const [email = '', message = '', status = ''] = record.split(FIELD)
    const [id, person] = [authorIdOf(email), personIn(message)]
    const renames = renamesIn(message)
    const restored = restoredIn(message)
    const moved = new Set(renames.map(({ from }) => from))
    const removed = pathsRemovedIn(status)
    for (const name of removed) {
      if (moved.has(name)) continue
      // The first path counts to the end, as its revisions do.
      const counts = name === path || (wasAtPath && note.mayBeAt(name))
      if (counts) deleters.set(`${id} ${person?.id}`, { id, person })
      note.deleted(name, deletionsIn(message))
    }
    const left = new Set(removed)
    note.moved(renames.filter(({ from }) => left.has(from)))
    note.restored(restored)
    wasAtPath ||= [...renames, ...restored].some(({ to }) => to === path)
  })
  return isCut ? [NOT_KNOWN] : [...deleters.values()]
}

/** All paths that the note may have had since; undefined if they are too many. */
async function laterNames({ records, path, pathThen, range }: Omit<Options, 'rev'> & { range: string }) {
  const note = followNote([path, pathThen])
  const texts = [RENAME, RESTORED, deletionTrailer('')]
  const grep = ['--fixed-strings', ...texts.map((text) => `--grep=${text}`)]
  const { isCut } = await records(['log', '--reverse', `--format=%B${RECORD}`, ...grep, range], (record) => {
    const message = record.trimStart()
    const deletions = deletionsIn(message)
    if (deletions.length > 0)
      for (const name of note.names())
        if (message.startsWith(commitMessage(deletionSubject(name)))) note.deleted(name, deletions)
    note.moved(renamesIn(message))
    note.restored(restoredIn(message))
    return note.names().size > MOST_RENAMES ? 'stop' : undefined
  })
  return isCut || note.names().size > MOST_RENAMES ? undefined : note.names()
}

/** The removed files in the output of `--name-status -z`: letters and paths in turn, after an empty part. */
function pathsRemovedIn(status: string): string[] {
  const parts = status.split('\0')
  const removed: string[] = []
  for (let at = 1; at + 1 < parts.length; at += 2) if (parts[at]!.trim() === 'D') removed.push(parts[at + 1]!)
  return removed
}
