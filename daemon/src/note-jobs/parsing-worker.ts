import { parentPort } from 'node:worker_threads'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { editJobs } from './edit-jobs.ts'
import type { WorkerAnswer, WorkerQuestion } from './parsing-pool.ts'
import { readJobs } from './read-jobs.ts'

const jobs: Record<string, (input: never) => unknown> = { ...readJobs, ...editJobs }

/** Runs one job; a typed failure crosses the thread as its code and details. */
function answerTo({ job, input }: WorkerQuestion): WorkerAnswer {
  try {
    return { kind: 'done', output: jobs[job]!(input as never) }
  } catch (error) {
    if (isFailure(error)) return { kind: 'failed', code: error.code, details: error.details }
    return { kind: 'crashed', error }
  }
}

parentPort!.on('message', (question: WorkerQuestion) => parentPort!.postMessage(answerTo(question), []))
parentPort!.postMessage({ kind: 'loaded' } satisfies WorkerAnswer, [])
