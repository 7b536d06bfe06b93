import { RECORD } from './git-records.ts'

/** Arguments of `git log` for records that `loggedMessage` reads. */
export const LOG_MESSAGES = ['log', `--format=%H %P%n%B${RECORD}`]

/** A record of the log: the commit, its parent unless it is the first one, and its message. */
export function loggedMessage(record: string): { commit: string; parent: string | undefined; message: string } {
  const [commits = '', ...lines] = record.trimStart().split('\n')
  const [commit = '', parent] = commits.split(' ')
  return { commit, parent: parent || undefined, message: lines.join('\n') }
}
