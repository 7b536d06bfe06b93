import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { availableParallelism, setPriority } from 'node:os'
import { dirname, join } from 'node:path'
import { childEnvironment } from '../../home/child-environment.ts'
import type { BuildRequest } from './segment-of-vault.ts'

/** Builds segments in a separate process, one at a time for all vaults. */
export type SegmentBuilds = {
  /** Builds the segment of a vault as a draft in the same folder; rejects if the build fails or is aborted. */
  build(request: { root: string; file: string; signal: AbortSignal; urgency: Urgency }): Promise<Draft>
}

/**
 * `awaited`: searches wait for this build. `later`: an older segment serves searches meanwhile, so other builds come
 * first.
 */
export type Urgency = 'awaited' | 'later'

/** A finished segment that is not at its place yet. Always call `discard`, even after placing it. */
export type Draft = { draft: string; discard(): Promise<void> }

/** The response of the building process to a request. */
export type BuildReport = { ok: true } | { ok: false; message: string }

const program = new URL('./build-segment.ts', import.meta.url)
const OWNER = process.pid
const DRAFT = 'segment.new'
// A lower priority than the daemon, because its callers wait. On a busy machine a build then takes several times as
// long.
const NICE = 5
// Two threads that read 100,000 notes take half a gigabyte. Many containers have no more than that, for the daemon as
// well.
const MEMORY_OF_TWO = 1024 ** 3
// Reading 10,000 notes creates 800 MB of short-lived objects. By default V8 starts with a young generation of a
// megabyte and collects it 200 times, in threads for which a machine with two cores has no spare core.
const OPTIONS = ['--min-semi-space-size=16']
// The process ends this long after its last build, which frees its memory.
const LINGER_MS = 500

/**
 * Builds are queued, so that opening many vaults does not start a process for each. `onIdle`: called when the process that
 * builds has ended.
 */
export function createSegmentBuilds({
  maxNoteBytes,
  onIdle,
}: {
  maxNoteBytes: number
  onIdle?: (() => void) | undefined
}): SegmentBuilds {
  let last: Promise<unknown> = Promise.resolve()
  let child: ChildProcess | undefined
  let childUrgency: Urgency = 'later'
  let lingering: NodeJS.Timeout | undefined

  function process(urgency: Urgency): ChildProcess {
    clearTimeout(lingering)
    // One that was let go of may still be ending.
    if (child?.connected && childUrgency === urgency) return child
    if (child?.connected) child.disconnect()
    // The child gets none of the options of this process, such as loaders.
    const started = fork(program, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: childEnvironment(),
      execArgv: OPTIONS,
    })
    if (urgency === 'later') started.once('spawn', () => lowerPriority(started))
    childUrgency = urgency
    started.once('exit', () => forget(started))
    started.on('error', () => forget(started))
    child = started
    return started
  }

  function forget(ended: ChildProcess): void {
    if (child === ended) child = undefined
    onIdle?.()
  }

  type Run = { request: BuildRequest; signal: AbortSignal; urgency: Urgency }

  function run({ request, signal, urgency }: Run): Promise<void> {
    return new Promise((resolve, reject) => {
      const builder = process(urgency)
      const stop = () => builder.kill('SIGKILL')
      // The process exits by itself, so that its compiled code stays in V8's cache for the next one.
      const letGo = () => {
        if (builder.connected) builder.disconnect()
      }
      const finish = (report: BuildReport) => {
        signal.removeEventListener('abort', stop)
        builder.off('message', finish).off('exit', ended).off('error', failed)
        lingering = setTimeout(letGo, LINGER_MS)
        lingering.unref()
        if (report.ok) resolve()
        else reject(new Error(report.message))
      }
      const failed = (error: Error) => finish({ ok: false, message: error.message })
      const ended = (code: number | null, killer: string | null) =>
        finish({ ok: false, message: `the building process ended with ${code ?? killer}` })
      builder.on('message', finish).on('exit', ended).on('error', failed)
      signal.addEventListener('abort', stop)
      builder.send(request, (error) => {
        if (error) failed(error)
      })
    })
  }

  return {
    build({ root, file, signal, urgency }) {
      const result = last.then(async () => {
        signal.throwIfAborted()
        const folder = dirname(file)
        await mkdir(folder, { recursive: true, mode: 0o700 })
        const discard = () => clearDrafts(folder)
        await discard()
        // The builder of a killed daemon may still be writing for a moment.
        const draft = join(folder, `${DRAFT}-${randomBytes(6).toString('hex')}`)
        try {
          const threads = urgency === 'awaited' && hasRoomForTwo() ? 2 : 1
          await run({ request: { root, target: draft, maxNoteBytes, threads, owner: OWNER }, signal, urgency })
          return { draft, discard }
        } catch (error) {
          await discard()
          throw error
        }
      })
      last = result.catch(() => {})
      return result
    },
  }
}

/** True if a second thread of a build has a core and enough memory. */
const hasRoomForTwo = (): boolean => availableParallelism() > 1 && process.availableMemory() > MEMORY_OF_TWO

/** Removes the leftovers of builds, including those of an earlier run. */
async function clearDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (name.startsWith(DRAFT)) await rm(join(folder, name), { force: true })
}

function lowerPriority({ pid }: ChildProcess): void {
  try {
    setPriority(pid!, NICE)
  } catch {
    // The process has ended already, or the system does not permit it: then the build runs with normal priority.
  }
}
