import { deletionsIn, RENAME, renamesIn, RESTORED, restoredIn } from '../commit-message.ts'
import { RECORD } from '../git/git-records.ts'
import type { ReadGit } from '../history-reader.ts'
import { BRANCH } from '../import-stream.ts'
import { MOST_RENAMES } from './rename-chain.ts'

type Options = {
  records: ReadGit['records']
  path: string
  rev: string
}

const FIELD = '\u001f'
/** Stands for deleters who are not known. Nobody has this id. */
const NOT_KNOWN = ''

/**
 * Ids of the authors who deleted a note after a revision, at its path and at those to which it was moved or restored
 * since. A move is not a deletion. Two runs of git, however often the note was moved.
 */
export async function deletersSince({ records, path, rev }: Options): Promise<string[]> {
  const range = `${rev}..${BRANCH}`
  const names = await laterNames({ records, path, range })
  if (names === undefined) return [NOT_KNOWN]

  // The paths that the note has at a commit. Its first path counts to the end, as its revisions do.
  const present = new Set([path])
  const deletions = new Set<string>()
  const deleters = new Set<string>()
  const format = RECORD + ['%ae', '%B', ''].join(FIELD)
  const how = ['--reverse', '--diff-filter=AD', '--no-renames', '--name-status', '-z', `--format=${format}`]
  const { isCut } = await records(['--literal-pathspecs', 'log', ...how, range, '--', ...names], (record) => {
    const [email = '', message = '', status = ''] = record.split(FIELD)
    const moved = new Map(renamesIn(message).map(({ from, to }) => [from, to]))
    const left = pathsRemovedIn(status).filter((name) => present.has(name))
    for (const name of left) {
      if (moved.has(name) && name !== path) present.delete(name)
      if (moved.has(name)) continue
      deleters.add(email.slice(0, email.lastIndexOf('@')))
      for (const deletion of deletionsIn(message)) deletions.add(deletion)
    }
    for (const name of left) present.add(moved.get(name) ?? name)
    for (const { deletion, to } of restoredIn(message)) if (deletions.has(deletion)) present.add(to)
  })
  return isCut ? [NOT_KNOWN] : [...deleters]
}

/** All paths that the note may have had since, with those of some other notes; undefined if they are too many. */
async function laterNames({ records, path, range }: Omit<Options, 'rev'> & { range: string }) {
  const names = new Set([path])
  const grep = ['--fixed-strings', `--grep=${RENAME}`, `--grep=${RESTORED}`]
  const { isCut } = await records(['log', '--reverse', `--format=%B${RECORD}`, ...grep, range], (message) => {
    for (const { from, to } of [...renamesIn(message), ...restoredIn(message)]) if (names.has(from)) names.add(to)
    return names.size > MOST_RENAMES ? 'stop' : undefined
  })
  return isCut || names.size > MOST_RENAMES ? undefined : names
}

/** The removed files in the output of `--name-status -z`: letters and paths in turn, after an empty part. */
function pathsRemovedIn(status: string): string[] {
  const parts = status.split('\0')
  const removed: string[] = []
  for (let at = 1; at + 1 < parts.length; at += 2) if (parts[at]!.trim() === 'D') removed.push(parts[at + 1]!)
  return removed
}
