import type { Worker } from 'node:worker_threads'
import { fail, type ErrorCode } from '@svc/shared/wire/errors.ts'
import { startWorkDeadline } from './work-deadline.ts'

export type WorkerQuestion = { job: string; input: unknown }
export type WorkerAnswer =
  /** Sent once, before the first question can be answered. */
  | { kind: 'loaded' }
  | { kind: 'done'; output: unknown }
  | { kind: 'failed'; code: ErrorCode; details: unknown }
  | { kind: 'crashed'; error: unknown }

/** A job did not end within its deadline, or took more memory than it may. */
export class ParsingStopped extends Error {}

/** Runs jobs off the event loop. */
export type ParsingPool = {
  run(question: WorkerQuestion): Promise<unknown>
  close(): Promise<void>
}

type Options = { deadlineMs: number; idleMs: number; maxHeapMb: number; loadMs?: number }

// Loading the modules says nothing about a note; on a busy machine it takes many seconds.
const LOAD_MS = 60_000

/**
 * One worker thread that is started for the first job and stopped when it has been idle. Jobs run one after another, so
 * that each deadline counts the work of one job alone; a worker that misses it is ended, and the next job gets a new one.
 */
export function createParsingPool({ deadlineMs, idleMs, maxHeapMb, loadMs = LOAD_MS }: Options): ParsingPool {
  const loaded = new WeakSet<Worker>()
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()

  function started(): Worker {
    // Loaded with the first worker: it is half a megabyte, which most daemons never need.
    const { Worker } = process.getBuiltinModule('node:worker_threads')
    const fresh = new Worker(new URL('./parsing-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    })
    // A failure outside a job, which nobody else notices, costs the next job a new worker.
    fresh.on('error', () => void drop(fresh))
    fresh.unref()
    return fresh
  }

  async function drop(ended: Worker): Promise<void> {
    if (worker === ended) worker = undefined
    await ended.terminate()
  }

  async function runAlone(question: WorkerQuestion): Promise<unknown> {
    clearTimeout(idle)
    const used = (worker ??= started())
    used.ref()
    try {
      if (!loaded.has(used)) await answerOf(used, { within: loadTime(loadMs) })
      loaded.add(used)
      return outputOf(await answerOf(used, { question, within: workTime(used, deadlineMs) }))
    } catch (error) {
      if (error instanceof ParsingStopped) await drop(used)
      throw error
    } finally {
      used.unref()
      idle = setTimeout(() => void (worker && drop(worker)), idleMs).unref()
    }
  }

  return {
    run(question) {
      const result = last.then(() => runAlone(question))
      last = result.catch(() => {})
      return result
    },
    async close() {
      clearTimeout(idle)
      if (worker) await drop(worker)
    },
  }
}

/** Starts a time limit; returns a function that cancels it. */
type TimeLimit = (stop: (reason: string) => void) => () => void

const loadTime =
  (ms: number): TimeLimit =>
  (stop) => {
    const timer = setTimeout(() => stop('the worker has not loaded in time'), ms)
    return () => clearTimeout(timer)
  }

const workTime =
  (thread: Worker, workMs: number): TimeLimit =>
  (stop) =>
    startWorkDeadline({ thread, workMs, onPassed: () => stop('the deadline has passed') })

/** The next message of the worker, which answers the question, if any. */
function answerOf(
  worker: Worker,
  { question, within }: { question?: WorkerQuestion; within: TimeLimit },
): Promise<WorkerAnswer> {
  return new Promise((resolve, reject) => {
    const stop = (reason: string) => finish(() => reject(new ParsingStopped(reason)))
    const onMessage = (answer: WorkerAnswer) => finish(() => resolve(answer))
    const onError = (error: Error) => stop(error.message)
    const onExit = () => stop('the worker ended')
    const cancel = within(stop)
    const finish = (how: () => void) => {
      cancel()
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      how()
    }
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    if (question) worker.postMessage(question, [])
  })
}

function outputOf(answer: WorkerAnswer): unknown {
  if (answer.kind === 'failed') throw fail(answer.code, answer.details)
  if (answer.kind === 'crashed') throw answer.error
  return answer.kind === 'done' ? answer.output : undefined
}
