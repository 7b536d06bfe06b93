import { LOG_MESSAGES, loggedMessage } from '../git/logged-message.ts'

/** Runs git and calls back with each record until that returns 'stop'. */
export type ReadRecords = (args: readonly string[], visit: (record: string) => 'stop' | void) => Promise<unknown>

type Options<T> = {
  records: ReadRecords
  /** A text that every message searched for contains, anywhere in it. */
  text: string
  /** The commits and the path, as `git log` takes them. */
  range: readonly string[]
  /** Reads a message; undefined if it is not one that is searched for. */
  match(message: string): T | undefined
}

/** The newest commit whose message matches, with its parent if it has one; undefined if there is none. */
export async function newestMatch<T>({ records, text, range, match }: Options<T>) {
  let newest: { commit: string; parent: string | undefined; found: T } | undefined
  const log = [...LOG_MESSAGES, '--fixed-strings', `--grep=${text}`, ...range]
  await records(['--literal-pathspecs', ...log], (record) => {
    const { commit, parent, message } = loggedMessage(record)
    const found = match(message)
    if (found === undefined) return undefined
    newest = { commit, parent, found }
    return 'stop'
  })
  return newest
}
