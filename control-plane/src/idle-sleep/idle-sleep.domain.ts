import type { Clock } from '@svc/shared/kit/clock.ts'
import type { DueDaemon } from '../managed-daemons/idle-time.repository.ts'
import type { LifecycleEventsRepository } from '../operations/lifecycle-events.repository.ts'
import type { DaemonTunnels } from '../tunnels/tunnels.domain.ts'
import { createSleepWhenIdle, type SleepWhenIdleDeps } from './sleep-when-idle.ts'

type Deps = Pick<SleepWhenIdleDeps, 'store' | 'unlessBusy' | 'wake' | 'uses' | 'log'> & {
  daemonClient: DaemonTunnels['daemonClient']
  events: Pick<LifecycleEventsRepository, 'insert' | 'findLastAt'>
  /** Idle time of organizations without a setting of their own. */
  idleSeconds: number
  idleTime: {
    claimDue(limit: number, retryMs: number): Promise<DueDaemon[]>
    updateClaimed(due: DueDaemon, ms: number): Promise<void>
  }
  clock: Clock
}

const BATCH = 20
const PAUSE_MS = 2_000
/** Longer than a check takes. After this time another worker may check, because the first one was killed. */
const ABANDONED_MS = 120_000
const FAILED_AGAIN_MS = 15_000
/** The caller that the daemon sees. */
const ACT = { system: 'idle-sleep' }

/** Puts unused daemons to sleep. All its state is in rows: any number of workers may run it, and any may be killed. */
export function createIdleSleep({ idleTime, idleSeconds, daemonClient, events, clock, ...deps }: Deps) {
  const { log } = deps
  const sleepWhenIdle = createSleepWhenIdle({
    ...deps,
    readActivity: async (orgId) => (await daemonClient(orgId).readActivity(ACT)).activity,
    flush: async (orgId) => (await daemonClient(orgId).flushAll(ACT)).activity,
    recordSleep: (orgId) => events.insert(orgId, 'sleep_requested', { reason: 'Idle' }),
    findSleepRequest: (orgId) => events.findLastAt(orgId, 'sleep_requested'),
    clock,
  })

  const look = async (due: DueDaemon): Promise<void> => {
    try {
      await idleTime.updateClaimed(due, await sleepWhenIdle(due.orgId, due.idleSeconds ?? idleSeconds))
    } catch (err) {
      log.warn({ err, orgId: due.orgId }, 'an idle daemon could not be put to sleep; tried again')
      // When this fails too, the daemon is due again as one whose worker was killed.
      await idleTime.updateClaimed(due, FAILED_AGAIN_MS).catch(() => {})
    }
  }

  /** Checks some daemons that are due; true when there may be more. */
  const lookAtSome = async (): Promise<boolean> => {
    const due = await idleTime.claimDue(BATCH, ABANDONED_MS)
    await Promise.all(due.map(look))
    return due.length === BATCH
  }

  return {
    lookAtSome,

    /** Checks until it is stopped. Returns the function that stops it and waits for a check in progress. */
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
