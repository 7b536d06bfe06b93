import { spawn } from 'node:child_process'

/** Runs git with no configuration, hooks or attributes but those of the history itself. */
export type RunGit = (args: readonly string[], input?: Buffer) => Promise<string>

/** Git is not installed, so there is no history; nothing else depends on it. */
export class GitMissing extends Error {}

/** What git may see of this process: neither the user's nor the system's configuration, and nobody to ask. */
export const gitEnvironment = (searchPath: string): Record<string, string> => ({
  PATH: searchPath,
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
})

/** Makes the runner for one git directory. */
export function gitProcess({ gitDir, searchPath }: { gitDir: string; searchPath: string }): RunGit {
  return (args, input) =>
    new Promise((resolve, reject) => {
      const child = spawn('git', [`--git-dir=${gitDir}`, ...args], {
        env: gitEnvironment(searchPath),
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      const out: Buffer[] = []
      const err: Buffer[] = []
      child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
      child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
      child.on('error', (error: NodeJS.ErrnoException) => reject(error.code === 'ENOENT' ? new GitMissing() : error))
      child.on('close', (code) => {
        if (code === 0) return resolve(Buffer.concat(out).toString())
        reject(new Error(`git ${args[0]} ended with ${code}: ${Buffer.concat(err).toString().slice(0, 500)}`))
      })
      // Git may end before it has read everything; its exit code tells.
      child.stdin.on('error', () => {})
      child.stdin.end(input ?? Buffer.alloc(0))
    })
}
