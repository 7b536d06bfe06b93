import { loadOnce } from '@svc/shared/kit/load-once.ts'
import type { editJobs } from './edit-jobs.ts'
import type { ParsingPool } from './parsing-pool.ts'
import type { readJobs } from './read-jobs.ts'

/** The jobs on the text of notes and YAML files. */
type NoteJobs = typeof readJobs & typeof editJobs

/** A job on a note; `cost` is in characters of the slowest job (`markdown/note-cost.ts`). */
type Job<Name extends keyof NoteJobs> = { job: Name; input: Parameters<NoteJobs[Name]>[0]; cost: number }

/**
 * Runs a job on the event loop if it is small, else in the worker: no job may take over 50 ms of CPU on the event loop.
 */
export type RunNoteJob = <Name extends keyof NoteJobs>(job: Job<Name>) => Promise<ReturnType<NoteJobs[Name]>>

/**
 * The most that a job may cost on the event loop; others go to the worker. The slowest job takes about 1.5 µs for a
 * character, so this many take less than 50 ms (test/linear-parsers.test.ts).
 */
export const MAX_ON_LOOP = 24 * 1024

/**
 * Parsers are loaded with the first job, and what edits texts with the first edit: an idle daemon does not keep them in
 * memory.
 */
export function createRunNoteJob(pool: ParsingPool): RunNoteJob {
  const loadReadJobs = loadOnce(async () => (await import('./read-jobs.ts')).readJobs)
  const loadEditJobs = loadOnce(async () => (await import('./edit-jobs.ts')).editJobs)
  return async ({ job, input, cost }) => {
    if (cost > MAX_ON_LOOP) return (await pool.run({ job, input })) as never
    const readJobs = await loadReadJobs()
    const jobs: Partial<NoteJobs> = job in readJobs ? readJobs : await loadEditJobs()
    return jobs[job]!(input as never) as never
  }
}
