import type { Clock } from '@svc/shared/kit/clock.ts'
import type { DueDaemon } from '../managed-daemons/idle-time.repository.ts'
import type { LifecycleEventsRepository } from '../operations/lifecycle-events.repository.ts'
import type { DaemonTunnels } from '../tunnels/tunnels.domain.ts'
import { createSleepWhenIdle, type SleepWhenIdleDeps } from './sleep-when-idle.ts'

type Deps = Pick<SleepWhenIdleDeps, 'store' | 'unlessBusy' | 'wake' | 'log'> & {
  daemonClient: DaemonTunnels['daemonClient']
  recordEvent: LifecycleEventsRepository['insert']
  /** Notes how much a daemon had been used when it was put to sleep; absent where nobody wants to know. */
  recordUse: ((orgId: string, activity: string) => Promise<void>) | undefined
  /** Idle time of organizations that have none of their own. */
  idleSeconds: number
  idleTime: {
    claimDue(limit: number, retryMs: number): Promise<DueDaemon[]>
    updateLookAt(orgId: string, ms: number): Promise<void>
  }
  clock: Clock
}

const BATCH = 20
const PAUSE_MS = 2_000
/** Longer than a look takes; after that another worker may look. */
const RETRY_MS = 120_000
/** Who the daemon sees calling. */
const ACT = { system: 'idle-sleep' }

/** Puts daemons that nobody uses to sleep. Works from rows alone, so any number of workers may do it, and any may be killed. */
export function createIdleSleep({ idleTime, idleSeconds, daemonClient, recordEvent, recordUse, clock, ...deps }: Deps) {
  const { log } = deps
  const sleepWhenIdle = createSleepWhenIdle({
    ...deps,
    readActivity: async (orgId) => (await daemonClient(orgId).readActivity(ACT)).activity,
    flush: async (orgId) => (await daemonClient(orgId).flushAll(ACT)).activity,
    recordSleep: async (orgId, activity) => {
      await recordEvent(orgId, 'sleep_requested', { reason: 'Idle' })
      await recordUse?.(orgId, activity)
    },
  })

  const look = async (due: DueDaemon): Promise<void> => {
    try {
      await idleTime.updateLookAt(due.orgId, await sleepWhenIdle(due.orgId, due.idleSeconds ?? idleSeconds))
    } catch (err) {
      log.warn({ err, orgId: due.orgId }, 'an idle daemon could not be put to sleep; tried again')
    }
  }

  /** Looks at those that are due; true when there may be more. */
  const lookAtSome = async (): Promise<boolean> => {
    const due = await idleTime.claimDue(BATCH, RETRY_MS)
    await Promise.all(due.map(look))
    return due.length === BATCH
  }

  return {
    lookAtSome,

    /** Looks until it is stopped. Answers how to stop; a look that is under way ends first. */
    start: (): (() => Promise<void>) => {
      const stop = new AbortController()
      const run = async () => {
        while (!stop.signal.aborted) {
          const more = await lookAtSome().catch((err: unknown) => {
            log.warn({ err }, 'idle daemons could not be listed; tried again')
            return false
          })
          if (!more) await clock.sleep(PAUSE_MS, stop.signal).catch(() => {})
        }
      }
      const ended = run()
      return async () => {
        stop.abort(new Error('the process is stopping'))
        await ended
      }
    },
  }
}
