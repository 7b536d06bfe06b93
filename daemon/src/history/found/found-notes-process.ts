import { fork } from 'node:child_process'
import { childEnvironment } from '../../home/child-environment.ts'
import type { FoundCommit, FoundNotes, ReadNotes } from './found-files.ts'

/** The vault whose notes are found, and its git directory. */
export type FoundNotesPlace = { root: string; maxNoteBytes: number; gitDir: string; searchPath: string }

export type ToFoundNotes = { place: FoundNotesPlace } | { read: readonly string[] } | { write: FoundCommit }

export type FromFoundNotes = { read: ReadNotes } | { written: true } | { failed: string }

const program = new URL('./found-notes-program.ts', import.meta.url)
// Git gets a moment to remove its lock files.
const END_MS = 2000

/**
 * Starts a process that reads notes and passes them to git. Their content never enters this process, which would keep
 * the memory. When the signal is aborted, the process ends, and work in progress rejects.
 */
export function foundNotesBeside(place: FoundNotesPlace, signal?: AbortSignal): FoundNotes {
  const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: childEnvironment(), execArgv: [] })
  const ended = Promise.withResolvers<string>()
  child.once('exit', (code, killer) => ended.resolve(`the process ended with ${code ?? killer}`))
  child.on('error', ({ message }) => ended.resolve(message))
  let killing: NodeJS.Timeout | undefined
  const stop = () => {
    if (child.connected) child.disconnect()
    killing ??= setTimeout(() => child.kill('SIGKILL'), END_MS)
  }
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()
  void ended.promise.then(() => {
    clearTimeout(killing)
    signal?.removeEventListener('abort', stop)
  })

  const send = (message: ToFoundNotes) => {
    if (child.connected) child.send(message, () => {})
  }

  // A handler of `ended` for each request would keep the paths of all requests until the process ends.
  let waiting: PromiseWithResolvers<FromFoundNotes> | undefined
  const fail = (cause: string) => waiting?.reject(new Error(cause))
  child.on('message', (reply: FromFoundNotes) => {
    if ('failed' in reply) fail(reply.failed)
    else waiting?.resolve(reply)
  })
  let isOver = false
  void ended.promise.then((how) => {
    isOver = true
    fail(`notes cannot be passed to git: ${how}`)
  })

  /** One request at a time. */
  function request(message: ToFoundNotes): Promise<FromFoundNotes> {
    waiting = Promise.withResolvers()
    if (isOver) fail('notes cannot be passed to git: the process has ended')
    else send(message)
    return waiting.promise
  }

  send({ place })
  return {
    async read(paths) {
      const reply = await request({ read: paths })
      if (!('read' in reply)) throw new Error('the process did not read')
      return reply.read
    },
    async write(commit) {
      await request({ write: commit })
    },
    async close() {
      stop()
      await ended.promise
    },
  }
}
