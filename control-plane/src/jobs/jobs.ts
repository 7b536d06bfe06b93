import { within } from '@svc/shared/kit/within.ts'
import { createHash } from 'node:crypto'
import type { Log } from '@svc/shared/kit/log.ts'
import type { JobProcessor, QueueBackend } from './queue-backend.ts'

/** Wakes work: its kind, and the id of the row that holds its state. */
export type Wake = (kind: string, subject: string, options?: { delayMs?: number }) => Promise<void>

/** Does what the row says is left to do. May return after how many milliseconds to run again. */
export type JobHandler = (subject: string, signal: AbortSignal) => Promise<{ againInMs: number } | void>

export type Jobs = {
  wake: Wake
  /** Starts working, with a handler for each kind. */
  start(handlers: Record<string, JobHandler>): Promise<void>
  close(): Promise<void>
}

const CONCURRENCY = 20
// How long the wakes of a subject wait for a worker that was killed. Short, because running twice does no harm.
const LOCK_MS = 6_000
const LOOK_FOR_STALLED_MS = 3_000
const STALLS_AT_MOST = 100
const STOP_WITHIN_MS = 10_000
// A request waits for its wake: a lost wake costs a sweep, a slow one costs a person's time.
const WAKE_WITHIN_MS = 3_000

/**
 * The job queue. A job carries no state: it wakes work whose state is in Postgres, so it may run twice, late or, when
 * the queue is lost, only after the next sweep. Wakes of one subject are merged; a wake during a run causes another
 * run.
 */
export function createJobs({ backend, log }: { backend: QueueBackend; log: Log }): Jobs {
  const stop = new AbortController()
  const warn = (err: Error) => {
    if (!stop.signal.aborted) log.warn({ err }, 'the job queue met a failure')
  }
  const queue = backend.openQueue()
  queue.on('error', warn)
  let worker: ReturnType<QueueBackend['openWorker']> | undefined

  const wake: Wake = async (kind, subject, { delayMs = 0 } = {}) => {
    const id = `${kind}-${createHash('sha256').update(subject).digest('hex').slice(0, 32)}`
    // A delayed wake has its own id: it must not replace the wakes that come before it is due.
    const deduplication = delayMs > 0 ? { id: `later-${id}` } : { id, keepLastIfActive: true }
    await within(queue.add(kind, { kind, subject }, { deduplication, delay: delayMs }), { ms: WAKE_WITHIN_MS, late })
  }

  const run = (handlers: Record<string, JobHandler>): JobProcessor => {
    return async (job) => {
      const { kind, subject } = job.data
      // A delayed run may request the next one, which must not count as its own duplicate.
      if (job.opts.delay) await job.removeDeduplicationKey()
      const handler = handlers[kind]
      if (handler === undefined) return log.warn({ kind }, 'there is no handler for a kind of job')
      try {
        const answer = await handler(subject, stop.signal)
        if (answer && !stop.signal.aborted) await wake(kind, subject, { delayMs: answer.againInMs })
      } catch (err) {
        if (!stop.signal.aborted) log.error({ err, kind, subject }, 'a job failed; the next sweep tries again')
      }
    }
  }

  return {
    wake,
    start: async (handlers) => {
      worker = backend.openWorker(run(handlers), {
        concurrency: CONCURRENCY,
        lockDuration: LOCK_MS,
        stalledInterval: LOOK_FOR_STALLED_MS,
        maxStalledCount: STALLS_AT_MOST,
      })
      worker.on('error', warn)
      await worker.waitUntilReady()
    },
    close: async () => {
      stop.abort(new Error('the process is stopping'))
      const closed = worker?.close() ?? Promise.resolve()
      await within(closed, { ms: STOP_WITHIN_MS, late }).catch((err: unknown) => {
        log.warn({ err }, 'the worker of the job queue did not stop')
      })
      await queue.close()
      await backend.close()
    },
  }
}

const late = () => new Error('the job queue did not respond in time')
