import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import type { SeenDaemon } from './connected-daemons.repository.ts'

const EVERY_MS = 1_000
/** Maximum number of daemons per statement, so that none is locked for long. */
const MOST_AT_ONCE = 500

type Options = {
  write: (seen: SeenDaemon[]) => Promise<void>
  clock: Pick<Clock, 'now' | 'sleep'>
  log: Log
}

/**
 * Records when daemons were last seen, for people who look at them. The times are collected for a second, because
 * hundreds of daemons dial at the same moment; they are all that a kill can lose.
 */
export function createSeenDaemons({ write, clock, log }: Options) {
  let waiting = new Map<string, SeenDaemon>()

  const flush = async () => {
    const seen = [...waiting.values()]
    waiting = new Map()
    for (let start = 0; start < seen.length; start += MOST_AT_ONCE) await write(seen.slice(start, start + MOST_AT_ONCE))
  }
  const task = repeat({
    everyMs: EVERY_MS,
    task: flush,
    first: 'after_interval',
    clock,
    log,
    name: 'times of daemons',
  })

  return {
    /** Notes that a daemon is or was connected just now, and the key that it has just used. */
    note: (daemonId: string, keyId?: number): void => {
      waiting.set(daemonId, { daemonId, keyId: keyId ?? waiting.get(daemonId)?.keyId, at: clock.now() })
    },
    start: task.start,
    /** Writes what is left. A database that is away does not hold up the end: these are only times. */
    close: async (): Promise<void> => {
      await task.close()
      await flush().catch((error: unknown) => log.warn({ err: error }, 'times of daemons were not written'))
    },
  }
}
