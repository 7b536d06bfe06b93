import { fork } from 'node:child_process'
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** Reads the links of whole vaults in a separate process, one vault at a time. */
export type LinksReader = {
  /** Writes the links of a vault to a file; rejects if that fails or is aborted. */
  read(request: { root: string; file: string; signal: AbortSignal }): Promise<void>
}

const program = new URL('./read-links.ts', import.meta.url)
// Lower priority than the daemon, whose callers wait.
const NICE = 5

export function createLinksReader({ maxNoteBytes }: { maxNoteBytes: number }): LinksReader {
  let last: Promise<unknown> = Promise.resolve()

  async function read({ root, file, signal }: Parameters<LinksReader['read']>[0]): Promise<void> {
    signal.throwIfAborted()
    // The reader of a killed daemon may still write for a moment.
    const draft = `${file}.new-${randomBytes(6).toString('hex')}`
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await clearDrafts(file)
    try {
      await run({ root, target: draft, maxNoteBytes }, signal)
      await rename(draft, file)
    } finally {
      await rm(draft, { force: true })
    }
  }

  return {
    read(request) {
      const result = last.then(() => read(request))
      last = result.catch(() => {})
      return result
    },
  }
}

async function run(request: { root: string; target: string; maxNoteBytes: number }, signal: AbortSignal) {
  // It must not inherit our environment or loaders.
  const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: {}, execArgv: [] })
  const stop = () => child.kill('SIGKILL')
  signal.addEventListener('abort', stop)
  try {
    const ended = once(child, 'exit')
    child.once('spawn', () => {
      try {
        setPriority(child.pid!, NICE)
      } catch {
        // It has ended already, or the system forbids it: then it runs at normal priority.
      }
      child.send(request, () => {})
    })
    const [code, killer] = (await ended) as [number | null, string | null]
    if (code !== 0) throw new Error(`the process that reads links ended with ${code ?? killer}`)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Removes temporary files of readers of an earlier run. */
async function clearDrafts(file: string): Promise<void> {
  for (const name of await readdir(dirname(file)))
    if (name.startsWith(`${basename(file)}.new`)) await rm(join(dirname(file), name), { force: true })
}
