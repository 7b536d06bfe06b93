import type { ChildProcess } from 'node:child_process'

/** The last lines that a child writes to standard error. */
export function lastLines(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(-2_000)))
  return () => text.trim().split('\n').slice(-3).join(' | ')
}

/** Exit code of a child when it has ended; null when a signal ended it. Rejects when it could not be started. */
export function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code))
  })
}
