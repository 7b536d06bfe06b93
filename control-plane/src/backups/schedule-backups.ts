import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { idBody } from '@svc/shared/wire/ids.ts'
import type { RunOperation } from '../operations/run-operation.ts'
import { STILL_WAKING } from './backup-effects.ts'
import type { BackupStates, ClaimedBackup, DueBackup } from './backup-states.repository.ts'

type Deps = {
  states: BackupStates
  run: RunOperation
  /** A backup is proved again when its last proof is older than this. */
  drillSeconds: number
  clock: Clock
  log: Log
}

const LOOK_MS = 10_000
const AT_ONCE = 4
/**
 * A failed backup is retried after this time; so is one whose worker was killed, and a drill that failed for a passing
 * cause. Any other failed drill is retried after the next backup. After each further failure the time is twice as long,
 * because every attempt may wake the daemon and keeps other operations waiting.
 */
const AGAIN_SECONDS = 15 * 60
/** A wake may need a new node and a first index; a daemon that slept again meanwhile would be as slow the next time. */
const WAKING_AGAIN_SECONDS = 3 * 60
const DAY_SECONDS = 24 * 3_600
/** Maximum time to wait for an operation. One that takes longer continues without being watched. */
const WAIT_MS = 10 * 60_000

/** Takes and proves backups when they are due. All its state is in rows: any number of workers may run it. */
export function createScheduleBackups({ states, run, drillSeconds, clock, log }: Deps) {
  const actor = { kind: 'system', id: 'backup-schedule' } as const
  const reason = 'Scheduled'

  const carryOut = async (due: DueBackup, signal: AbortSignal): Promise<void> => {
    const { orgId, dueAt } = due
    const { everySeconds, awaitsRestore, last: before } = await states.find(orgId)
    if (everySeconds === 0) return void (await states.updateClaimed(due, AGAIN_SECONDS))
    if (awaitsRestore) {
      // The volume may be empty. Backups of it would in time displace those from before the loss.
      log.warn({ orgId }, 'no scheduled backup of a reinstalled daemon: restore a backup, or take one')
      return void (await states.updateClaimed(due, AGAIN_SECONDS))
    }
    const slot = Math.floor(dueAt.getTime() / 1000)
    const operationId = (kind: string) => `${kind}-${idBody(orgId)}-${slot}`
    const common = { orgId, actor, reason, input: {} }
    const waiting = { waitMs: WAIT_MS, signal }
    // The worker that asked for it was killed or waits no longer, or only the drill is due. Each repeated backup would
    // displace an older one.
    const age = before === null ? Infinity : (clock.now().getTime() - Date.parse(before.takenAt)) / 1000
    const isTaken = age >= 0 && age < everySeconds
    if (!isTaken) {
      const backup = { ...common, operationId: operationId('backup'), action: 'backup' } as const
      await run(backup, waiting).catch(async (error: unknown) => {
        await again(due, error, Math.max(AGAIN_SECONDS, everySeconds))
        throw error
      })
    }
    // The row is due again soon: another worker proves the backup.
    if (signal.aborted) return
    const nextInSeconds = isTaken ? everySeconds - age : everySeconds
    const claimed = await states.updateClaimed(due, nextInSeconds)
    // Another interval was chosen meanwhile: whoever claims the row next goes by that one.
    if (claimed === undefined) return
    const { verified, last } = await states.find(orgId)
    const proved = verified === null ? 0 : Date.parse(verified.verifiedAt)
    const isProved = verified?.backupId === last?.backupId || clock.now().getTime() - proved < drillSeconds * 1000
    if (isProved) return
    try {
      await run({ ...common, operationId: operationId('drill'), action: 'backup_drill' }, waiting)
    } catch (error) {
      if (isPassing(error)) await again(claimed, error, nextInSeconds)
      throw error
    }
  }

  /** Sets when to try again after a failure: at the latest after `capSeconds`, or a day. */
  const again = async (claimed: ClaimedBackup, error: unknown, capSeconds: number): Promise<void> => {
    if (isStillWaking(error)) await states.updateClaimed(claimed, Math.min(WAKING_AGAIN_SECONDS, capSeconds))
    else if (!isOfDaemon(error)) await states.updateClaimed(claimed, Math.min(AGAIN_SECONDS, capSeconds))
    else
      await states.updateFailed(claimed, { firstSeconds: AGAIN_SECONDS, capSeconds: Math.min(DAY_SECONDS, capSeconds) })
  }

  /** Carries out due backups one after the other until none is due or the signal aborts. */
  const lane = async (stopped: AbortSignal): Promise<void> => {
    while (!stopped.aborted) {
      const one = await states.claimDue(AGAIN_SECONDS)
      if (one === undefined) return
      await carryOut(one, stopped).catch((err: unknown) => {
        if (stopped.aborted) return
        log.warn({ err: isFailure(err) ? err.code : err, orgId: one.orgId }, 'a backup or drill failed; tried again')
      })
    }
  }
  const lanes = Array.from({ length: AT_ONCE })

  return {
    /** Carries out everything that is due. */
    look: async (): Promise<void> => {
      await states.insertMissing()
      await Promise.all(lanes.map(() => lane(new AbortController().signal)))
    },
    /** Returns the function that stops it. It waits for no operation: these end with the process, or go on elsewhere. */
    start: (): (() => Promise<void>) => {
      const common = { everyMs: LOOK_MS, first: 'at_once', clock, log } as const
      const looks = [
        repeat({ ...common, task: states.insertMissing, name: 'rows of scheduled backups' }),
        ...lanes.map(() => repeat({ ...common, task: lane, name: 'scheduled backups' })),
      ]
      for (const { start } of looks) start()
      return async () => void (await Promise.all(looks.map(({ close }) => close())))
    },
  }
}

/** True when the operation woke the daemon, so that the next attempt finds it starting or awake. */
const isStillWaking = (error: unknown): boolean =>
  isFailure(error, 'operation_retryable') && (error.details as { reason?: string } | undefined)?.reason === STILL_WAKING

/** True when the operation itself failed, and not for want of the storage of backups. */
function isOfDaemon(error: unknown): boolean {
  if (!isFailure(error, 'operation_failed') && !isFailure(error, 'operation_retryable')) return false
  const { code, cause } = (error.details ?? {}) as { code?: string; cause?: string }
  return (code ?? cause)?.startsWith('backup_store_') !== true
}

/** True for a failure that the same request may not meet again. */
function isPassing(error: unknown): boolean {
  return isFailure(error) && (error.retry === 'same_request' || error.retry === 'same_operation')
}
