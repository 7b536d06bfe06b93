import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import type { Wake } from './jobs.ts'

/** Rows of one kind with unfinished work. */
export type SweepSource = { kind: string; listUnfinished(): Promise<string[]> }

type Deps = { sources: SweepSource[]; wake: Wake; clock: Clock; log: Log }

const EVERY_MS = 30_000

/**
 * Wakes everything unfinished at start and every 30 seconds, so that a lost queue costs time only. Returns the function
 * that stops it.
 */
export function startSweeper({ sources, wake, clock, log }: Deps): () => Promise<void> {
  const sweep = async ({ kind, listUnfinished }: SweepSource) => {
    try {
      for (const subject of await listUnfinished()) await wake(kind, subject)
    } catch (err) {
      log.warn({ err, kind }, 'a sweep failed; the next one tries again')
    }
  }
  const sweepAll = async () => {
    for (const source of sources) await sweep(source)
  }
  const { start, close } = repeat({ everyMs: EVERY_MS, task: sweepAll, first: 'at_once', clock, log, name: 'sweep' })
  start()
  return close
}
