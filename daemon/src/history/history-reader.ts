import { fail } from '@svc/shared/wire/errors.ts'
import type { SimpleGit } from 'simple-git'
import { errnoOf } from '../files/fs-failure.ts'
import { gitEnvironment } from './git/git-process.ts'
import { gitRecords } from './git/git-records.ts'
import { inReadingTurn } from './git/reading-turns.ts'
import type { NoteHistory } from './note-history.ts'

type Visit = (record: string) => 'stop' | void

/** Runs git for a reader. */
export type ReadGit = {
  (args: readonly string[]): Promise<string>
  /** For output that may be long: calls back with each record until it returns 'stop'. */
  records(args: readonly string[], visit: Visit): Promise<{ isCut: boolean }>
}

/** Opens the history of a vault for reading; undefined when there is none, or it has no commit. */
export type OpenHistory = (history: NoteHistory) => Promise<ReadGit | undefined>

const TIMEOUT_MS = 10_000
const ALLOWED = [
  'GIT_DIR',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_CONFIG_GLOBAL',
  'GIT_ATTR_NOSYSTEM',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_ALLOW_PROTOCOL',
  'GIT_TERMINAL_PROMPT',
]

/** Opens a history for reading. Commits waiting changes first, so that readers see their own changes. */
export function openHistory({ searchPath }: { searchPath: string }): OpenHistory {
  const open = openCommitted({ searchPath })
  return async (history) => {
    await history.commitAll()
    return open(history)
  }
}

/** Like `openHistory`, for readers who must miss no change: fails while one that was made before is not committed. */
export function openComplete({ searchPath }: { searchPath: string }): OpenHistory {
  const open = openCommitted({ searchPath })
  return async (history) => {
    await history.complete()
    return open(history)
  }
}

/** Like `openHistory`, for readers who read pending changes themselves. */
export function openCommitted({ searchPath }: { searchPath: string }): OpenHistory {
  return async (history) => {
    if (!history.isReadable()) return undefined
    const { simpleGit } = await import('simple-git')
    const git: SimpleGit = simpleGit({
      baseDir: history.gitDir,
      timeout: { block: TIMEOUT_MS },
      // Output may still be in the pipe when git has exited, so the end of the pipe counts. Without any limit, simple-git
      // would keep a promise of each call for as long as the process runs.
      completion: { onClose: true, onExit: TIMEOUT_MS },
      allowEnvironment: ALLOWED,
      unsafe: { allowUnsafeConfigPaths: true, allowUnsafeProtocolOverride: true },
    })
      .env(gitEnvironment({ gitDir: history.gitDir, searchPath }))
      .outputHandler(printNothing)
    const { gitDir } = history
    return Object.assign((args: readonly string[]) => started(() => git.raw([...args])), {
      records: (args: readonly string[], visit: Visit) =>
        started(() => gitRecords({ gitDir, searchPath, args, visit })),
    })
  }
}

/**
 * The result of a git. If no file descriptor was left to start it, this fails with `too_many_open_files`. simple-git
 * does not expect a child process without streams, so it reports a TypeError then.
 */
async function started<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await inReadingTurn(run)
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === 'EMFILE' || errno === 'ENFILE' || (error as Error).message.startsWith('TypeError: '))
      throw fail('too_many_open_files', undefined, { cause: error })
    throw error
  }
}

/**
 * Adds an empty chunk to the end of the output: simple-git waits 50 ms after a git that printed nothing, and no option
 * turns that off.
 */
function printNothing(_command: string, stdout: NodeJS.ReadableStream): void {
  stdout.once('end', () => stdout.emit('data', Buffer.alloc(0)))
}
