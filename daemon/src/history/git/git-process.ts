import { spawn } from 'node:child_process'

/** Runs git with no configuration, hooks or attributes except those of the history itself. */
export type RunGit = (args: readonly string[], input?: Buffer) => Promise<string>

/** Git is not installed, so there is no history; nothing else depends on it. */
export class GitMissing extends Error {}

// Of git, and of the system with `LC_ALL=C`, where it lacks something.
const LACKS =
  /too many open files|cannot allocate memory|out of memory|resource temporarily unavailable|cannot fork|unable to create thread|no space left|quota exceeded|permission denied/i

/** Git has ended with an error. */
class GitFailed extends Error {
  /** True if git found something that it cannot read; false if it was killed, or lacked something. */
  readonly isDamage: boolean

  constructor(command: string, { code, killer, said }: { code: number | null; killer: string | null; said: string }) {
    super(`git ${command} ended with ${code ?? killer}: ${said}`)
    this.isDamage = killer === null && !LACKS.test(said)
  }
}

/**
 * True if git itself found something that it cannot read. A git that could not start, was killed, or lacked something
 * says nothing about the repository.
 */
export const foundDamage = (error: unknown): boolean => error instanceof GitFailed && error.isDamage

// Longer than the import of the largest batch on a slow disk; a hanging git must not block the history forever.
const TIMEOUT_MS = 10 * 60_000
// Git removes its lock files at SIGTERM. A git that still runs after this time is killed; the next start cleans up.
const END_MS = 300

/**
 * What git may see of this process: no configuration or attributes of the user or the system, and no prompts. The git
 * directory is named, so that git never searches for another one in the folders above it.
 */
export const gitEnvironment = ({ gitDir, searchPath }: { gitDir: string; searchPath: string }) => ({
  PATH: searchPath,
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_DIR: gitDir,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_ALLOW_PROTOCOL: '',
  GIT_TERMINAL_PROMPT: '0',
})

type Place = { gitDir: string; searchPath: string; signal?: AbortSignal }

/** Runs git on one git directory. `signal` ends the running command and prevents further ones. */
export function gitProcess(place: Place): RunGit {
  const run = gitBytes(place)
  return async (args, input) => (await run(args, input)).toString()
}

/** Like `gitProcess`, for binary output. */
export function gitBytes(place: Place) {
  const run = gitChunks(place)
  return async (args: readonly string[], input?: Buffer): Promise<Buffer> => {
    const out: Buffer[] = []
    await run(args, { input, take: (chunk) => out.push(chunk) })
    return Buffer.concat(out)
  }
}

type Exchange = { input?: Buffer | undefined; take(chunk: Buffer): void }

/**
 * Like `gitProcess`, but passes output on as it arrives. An error thrown by `take` is thrown again after git has ended.
 */
export function gitChunks({ gitDir, searchPath, signal }: Place) {
  return (args: readonly string[], { input, take }: Exchange): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const child = spawn('git', args, {
        env: gitEnvironment({ gitDir, searchPath }),
        stdio: ['pipe', 'pipe', 'pipe'],
        // A process group of its own: git starts further processes, which would continue if only git itself were told
        // to end.
        detached: signal !== undefined,
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
      })
      child.on('error', (error: NodeJS.ErrnoException) => reject(error.code === 'ENOENT' ? new GitMissing() : error))
      // It has not started. Where file descriptors have run out, it has no streams either.
      if (child.pid === undefined) return
      let killing: NodeJS.Timeout | undefined
      const stop = () => {
        endGroup(child.pid, 'SIGTERM')
        killing = setTimeout(() => endGroup(child.pid, 'SIGKILL'), END_MS)
      }
      signal?.addEventListener('abort', stop)
      const err: Buffer[] = []
      let failed: { error: unknown } | undefined
      child.stdout.on('data', (chunk: Buffer) => {
        try {
          if (!failed) take(chunk)
        } catch (error) {
          failed = { error }
        }
      })
      child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
      child.on('close', (code, killer) => {
        signal?.removeEventListener('abort', stop)
        clearTimeout(killing)
        if (failed) return reject(failed.error)
        if (code === 0) return resolve()
        const said = Buffer.concat(err).toString().slice(0, 500)
        reject(new GitFailed(args[0] ?? '', { code, killer, said }))
      })
      // Git may end before it has read everything; its exit code says whether it failed.
      child.stdin.on('error', () => {})
      child.stdin.end(input ?? Buffer.alloc(0))
    })
}

/** Signals a process and all processes that it has started. */
function endGroup(pid: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // It has already ended.
  }
}
