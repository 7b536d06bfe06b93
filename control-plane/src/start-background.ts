import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import type { Shutdown } from '@svc/shared/kit/shutdown.ts'
import type { JobHandler, Jobs } from './jobs/jobs.ts'
import { startSweeper, type SweepSource } from './jobs/sweeper.ts'

type Handlers = Record<string, JobHandler>

type Deps = {
  jobs: Jobs
  /** Executes operations. */
  worker: { handlers: Handlers; start(): Promise<void> }
  handlers: Handlers
  /** Where unfinished work is found when its wake was lost. */
  sources: SweepSource[]
  /** Starts background work, and returns the function that stops it. */
  starts: { name: string; start: () => () => Promise<void> | void }[]
  deleteExpired: () => Promise<void>
  shutdown: Shutdown
  clock: Clock
  log: Log
}

const UPKEEP_MS = 3_600_000

/** Starts the background work of a process that runs jobs. `shutdown` stops everything that it starts. */
export async function startBackground(deps: Deps): Promise<void> {
  const { jobs, worker, handlers, sources, starts, deleteExpired, shutdown, clock, log } = deps
  await worker.start()
  await jobs.start({ ...handlers, ...worker.handlers })
  shutdown.add('sweeper', startSweeper({ sources, wake: jobs.wake, clock, log }))
  for (const { name, start } of starts) shutdown.add(name, start())

  const name = 'deletion of expired rows'
  const upkeep = repeat({ everyMs: UPKEEP_MS, task: deleteExpired, first: 'at_once', clock, log, name })
  upkeep.start()
  shutdown.add(name, upkeep.close)
}
