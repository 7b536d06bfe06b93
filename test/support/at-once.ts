import type { ChildProcess } from 'node:child_process'

/**
 * Makes several changes that come at once to a process: it stands still meanwhile, so it cannot see some of them without
 * the others, however slow the machine is.
 */
export async function atOnce<T>(program: ChildProcess, change: () => Promise<T>): Promise<T> {
  program.kill('SIGSTOP')
  try {
    return await change()
  } finally {
    program.kill('SIGCONT')
  }
}
