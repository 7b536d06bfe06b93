import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Activity } from '@svc/shared/wire/daemon/daemon-activity.ts'
import { managedDaemonName, type ObservedState } from '@svc/shared/wire/managed-daemon.ts'
import { StoreConflict, type ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { UnlessBusy } from '../operations/unless-busy.repository.ts'
import { decideAsking, decideIdle, decideStopping, isUntouched, isUsedAgain, STOPPING_MS } from './decide-idle.ts'

export type SleepWhenIdleDeps = {
  store: ManagedDaemonStore
  /** Queries the daemon over its tunnel; fails when it cannot be reached. */
  readActivity(orgId: string): Promise<Activity>
  /** Makes everything durable and returns the activity after that; undefined from a daemon that does not report it. */
  flush(orgId: string): Promise<Activity | undefined>
  unlessBusy: UnlessBusy
  wake(orgId: string): Promise<unknown>
  recordSleep(orgId: string): Promise<void>
  /** When its sleep was requested last, by anybody; undefined when it never was. */
  findSleepRequest(orgId: string): Promise<Date | undefined>
  /** Where the use of a daemon until its sleep is recorded; undefined where nothing needs it. */
  uses: { record(orgId: string, activity: string): Promise<void>; forget(orgId: string): Promise<void> } | undefined
  clock: Pick<Clock, 'now'>
  log: Log
}

const BUSY_AGAIN_MS = 30_000
const CONFLICT_AGAIN_MS = 5_000

/**
 * Puts one daemon to sleep if it has been idle for long enough, and returns after how many milliseconds to check again.
 * A request between the check and the patch keeps it awake; a request from then on until it stops wakes it again.
 */
export function createSleepWhenIdle({
  store,
  readActivity,
  flush,
  unlessBusy,
  wake,
  recordSleep,
  findSleepRequest,
  uses,
  clock,
  log,
}: SleepWhenIdleDeps) {
  /** Undefined when the daemon cannot be reached: it stays awake. */
  const ask = async (orgId: string, question: (orgId: string) => Promise<Activity | undefined>) => {
    try {
      return await question(orgId)
    } catch (err) {
      log.debug({ err, orgId }, 'a daemon did not say whether it is idle')
      return undefined
    }
  }

  /** Until the daemon stops, its tunnel takes requests. They do not wake it, because it does not sleep. */
  const wakeIfUsed = async (orgId: string, idleSeconds: number, observedState: ObservedState): Promise<number> => {
    const requestedAt = await findSleepRequest(orgId)
    const againMs = decideStopping(observedState, clock.now().getTime() - (requestedAt?.getTime() ?? 0))
    if (!isUsedAgain(idleSeconds, await ask(orgId, readActivity))) return againMs
    // Also when an operation wants it to sleep, which nobody may undo: there may have been an edit since the backup.
    await uses?.forget(orgId)
    // An operation may begin after this. The wake itself may be one, so it cannot be part of the check.
    if (!(await unlessBusy(orgId, async () => {}))) return againMs
    await wake(orgId)
    return idleSeconds * 1_000
  }

  return async (orgId: string, idleSeconds: number): Promise<number> => {
    const daemon = await store.find(managedDaemonName(orgId))
    const asking = decideAsking(idleSeconds, daemon)
    if (asking.kind === 'stopping') return wakeIfUsed(orgId, idleSeconds, asking.observedState)
    if (asking.kind === 'later' || daemon === undefined) return asking.kind === 'later' ? asking.afterMs : BUSY_AGAIN_MS

    const before = await ask(orgId, readActivity)
    const idle = decideIdle(idleSeconds, before)
    if (idle.kind === 'later' || before === undefined) return idle.kind === 'later' ? idle.afterMs : BUSY_AGAIN_MS
    if (!isUntouched(before, await ask(orgId, flush))) return idleSeconds * 1_000

    // Whatever happens from here on, no sleep is taken for the one before.
    await uses?.forget(orgId)
    try {
      const { name, resourceVersion } = daemon
      const patched = await unlessBusy(orgId, () =>
        store.patchSpec(name, resourceVersion, { desiredState: 'sleeping' }),
      )
      if (!patched) return BUSY_AGAIN_MS
    } catch (error) {
      if (error instanceof StoreConflict) return CONFLICT_AGAIN_MS
      throw error
    }
    log.info({ orgId, idleSeconds }, 'an idle daemon is put to sleep')
    await recordSleep(orgId)
    // A daemon that has stopped already does not respond: nobody uses it, but somebody may have until then.
    const after = await ask(orgId, readActivity)
    if (after === undefined) return STOPPING_MS
    if (isUntouched(before, after)) {
      await uses?.record(orgId, after.sequence)
      return STOPPING_MS
    }
    await wake(orgId)
    return idleSeconds * 1_000
  }
}
