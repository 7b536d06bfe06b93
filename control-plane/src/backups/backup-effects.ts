import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import type { Actor } from '@svc/shared/wire/admin/admin.api.ts'
import type { Activity } from '@svc/shared/wire/daemon/daemon-activity.ts'
import type { LastRestore } from '@svc/shared/wire/daemon/daemon-backups.api.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { findCondition, managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import type { ProblemOf } from '../db/tables/backups.tables.ts'
import { awaitRunning } from '../effects/await-running.ts'
import { queryDaemon } from '../effects/query-daemon.ts'
import type { EffectDeps } from '../effects/spec-effect.ts'
import { wakeFor } from '../effects/wake-for.ts'
import type { Effect, Effects, Execution, OperationRecord } from '../operations/operation.ts'
import type { BackupCatalog, Envelope } from './backup-catalog.ts'
import { backupIdOf, backupIdPrefix, dataKeyOf, operationPart } from './data-key.ts'
import type { BackupStates } from './backup-states.repository.ts'
import type { TransferBackup } from './transfer-backup.ts'
import { toBackupView } from './backup-view.ts'

type Asked = { orgId: string; actor: Actor }
type Restored = NonNullable<LastRestore['restore']>

export type BackupEffectsDeps = EffectDeps & {
  catalog: BackupCatalog
  states: BackupStates
  transferFor: (actor: Actor) => TransferBackup
  /** Fails when the daemon cannot be reached. */
  readActivity(asked: Asked): Promise<Activity>
  readLastRestore(asked: Asked): Promise<LastRestore['restore']>
  backupKey: Secret
  keep: number
  clock: Clock
}

/** How long to retry a query of a daemon. A restored daemon restarts before it can respond. */
const KEEP_ASKING_MS = 120_000
const MARKER_MS = 10_000
/**
 * How long a scheduled backup waits for the daemon to start. No other operation can begin meanwhile, not even the one
 * that would repair the daemon.
 */
const SCHEDULED_START_MS = 90_000

/** Reason of a scheduled operation that woke its daemon and did not see it run. The schedule tries again soon. */
export const STILL_WAKING = 'StillWaking'

/** The effects of the audited operations on backups. */
export function createBackupEffects(deps: BackupEffectsDeps): Effects {
  const { store, catalog, states, waiter, events, clock, timeoutMs } = deps
  const keyOf = (orgId: string) => dataKeyOf(deps.backupKey, orgId)

  const ask = <T>(query: () => Promise<T>, signal: AbortSignal): Promise<T> =>
    queryDaemon(query, { forMs: KEEP_ASKING_MS, clock, signal })

  const awake = async (execution: Execution) => {
    const { operation, signal } = execution
    const woke = await wakeFor(deps, execution)
    const isScheduled = operation.actor.kind === 'system'
    const daemon = await awaitRunning(waiter, {
      orgId: operation.orgId,
      timeoutMs: isScheduled ? Math.min(timeoutMs, SCHEDULED_START_MS) : timeoutMs,
      signal,
    })
    if (daemon === undefined)
      throw fail('operation_retryable', { reason: woke && isScheduled ? STILL_WAKING : 'NotYetRunning' })
  }

  const take = async ({ operation, signal }: Execution, backupId: string): Promise<Envelope> => {
    const { orgId, actor } = operation
    const activity = await ask(() => deps.readActivity(operation), signal)
    const envelope = await deps.transferFor(actor).receive({ orgId, backupId, key: keyOf(orgId), signal })
    // A request that was in progress may have written after the backup, without another sequence.
    await states.updateTaken(orgId, envelope, activity.inProgress === 0 ? activity.sequence : null)
    return envelope
  }

  /** Records a failure in the state of the backups, where people look for it. */
  const note = async ({ operation, signal }: Execution, of: ProblemOf, error: unknown): Promise<void> => {
    const code = isFailure(error) ? error.code : 'internal'
    const { reason } = ((isFailure(error) ? error.details : undefined) ?? {}) as { reason?: string }
    if (!signal.aborted && reason !== STILL_WAKING) await states.updateProblem(operation.orgId, { of, code, reason })
  }
  const noted = async <T>(execution: Execution, of: ProblemOf, run: () => Promise<T>): Promise<T> => {
    try {
      return await run()
    } catch (error) {
      await note(execution, of, error)
      throw error
    }
  }

  /** What a new backup displaces may stay: that is noted, and the next backup tries again. */
  const prune = async (execution: Execution, reinstalls: readonly Date[]): Promise<void> => {
    const { operation, signal } = execution
    try {
      await catalog.prune({ orgId: operation.orgId, keep: deps.keep, reinstalls, signal })
    } catch (error) {
      if (signal.aborted || !isFailure(error)) throw error
      await note(execution, 'backup', error)
    }
  }

  const backupAnswer = ({ operationId, orgId }: OperationRecord, envelope: Envelope, freshness: 'made' | 'fresh') => ({
    ok: true as const,
    operationId,
    orgId,
    backup: toBackupView(envelope),
    fresh: freshness === 'fresh',
  })

  const backup: Effect = {
    execute: async (execution) => {
      const { orgId, actor } = execution.operation
      const { awaitsRestore } = await states.find(orgId)
      const reinstalls = await states.listReinstalls(orgId)
      // Its name would say that it is of the volume before.
      const isEarlier = reinstalls.some((at) => backupIdOf(execution.operation) < backupIdPrefix(at))
      if (isEarlier || (actor.kind === 'system' && awaitsRestore))
        throw fail('operation_failed', { reason: 'AwaitsRestore' })
      return noted(execution, 'backup', async () => {
        const { operation, signal } = execution
        const daemon = await store.find(managedDaemonName(orgId))
        // One that does not stop may be used on: nobody wakes a daemon that serves.
        const isAsleep = daemon?.spec.desiredState === 'sleeping' && daemon.status.observedState === 'sleeping'
        const asleep = isAsleep ? findCondition(daemon.status, 'Sleeping') : undefined
        const freshId = asleep && (await states.findFresh(orgId, new Date(asleep.lastTransitionTime)))
        const fresh = freshId === undefined ? undefined : await catalog.find(orgId, freshId, signal)
        if (fresh) {
          await states.updateCurrent(orgId, fresh.backupId)
          return backupAnswer(operation, fresh, 'fresh')
        }
        await awake(execution)
        const backupId = backupIdOf(operation)
        const envelope = (await catalog.find(orgId, backupId, signal)) ?? (await take(execution, backupId))
        await prune(execution, reinstalls)
        return backupAnswer(operation, envelope, 'made')
      })
    },
    findMarker: async (operation) => {
      const made = await catalog.find(operation.orgId, backupIdOf(operation), AbortSignal.timeout(MARKER_MS))
      return made && { outcome: 'succeeded', answer: backupAnswer(operation, made, 'made') }
    },
    conclude: concluding('backed_up'),
  }

  const drill: Effect = {
    execute: (execution) =>
      noted(execution, 'drill', async () => {
        const { operation, signal } = execution
        const { orgId, operationId, actor } = operation
        const [backupId] = await catalog.listIds(orgId, signal)
        const from = backupId === undefined ? undefined : await catalog.find(orgId, backupId, signal)
        if (from === undefined) throw fail('operation_failed', { reason: 'NoBackup' })
        await awake(execution)
        await ask(() => deps.readActivity(operation), signal)
        const restored = await deps
          .transferFor(actor)
          .send({ orgId, from, key: keyOf(orgId), restoreId: operationId, purpose: 'drill', signal })
        const verifiedAt = clock.now()
        await states.updateVerified(orgId, from.backupId, verifiedAt)
        const answer = { ok: true as const, operationId, orgId, backupId: from.backupId }
        return { ...answer, verifiedAt: verifiedAt.toISOString(), restored }
      }),
    findMarker: async () => undefined,
    conclude: concluding('backup_verified'),
  }

  const findRestore = async (operation: OperationRecord) => {
    const last = await deps.readLastRestore(operation)
    return last?.restoreId === operation.operationId ? last : undefined
  }

  const restoreAnswer = async (operation: OperationRecord, last: Restored, safetyBackupId: string) => {
    const { orgId, operationId } = operation
    const daemon = await store.find(managedDaemonName(orgId))
    return {
      ok: true as const,
      operationId,
      orgId,
      backupId: last.backupId,
      fromOrgId: fromOf(operation).orgId,
      resourceUid: daemon?.uid ?? '',
      restored: last.summary,
      safetyBackupId,
    }
  }

  /** Each attempt made a safety backup: that of the one that succeeded is the last from before the restore. */
  const findRestoreAnswer = async (operation: OperationRecord, signal: AbortSignal) => {
    const last = await findRestore(operation)
    if (last === undefined) return undefined
    const { operationId, orgId } = operation
    const latest = backupIdOf({ operationId, requestedAt: new Date(last.at) })
    const ids = await catalog.listIds(orgId, signal)
    const safetyBackupId = ids.find((id) => operationPart(id) === operationPart(latest) && id <= latest)
    return restoreAnswer(operation, last, safetyBackupId ?? backupIdOf(operation))
  }

  const restore: Effect = {
    execute: async (execution) => {
      const { operation, signal } = execution
      const { orgId, operationId, actor } = operation
      const { orgId: fromOrgId, backupId } = fromOf(operation)
      const from = await catalog.find(fromOrgId, backupId, signal)
      if (from === undefined) throw fail('operation_failed', { reason: 'NoSuchBackup' })
      await awake(execution)
      const done = await ask(() => findRestoreAnswer(operation, signal), signal)
      if (done) return done

      // Each attempt has its own: what was written since an earlier one is replaced, too. That of an earlier attempt
      // stays, because the volume that it is of may be lost.
      const safetyBackupId = backupIdOf({ operationId, requestedAt: clock.now() })
      await take(execution, safetyBackupId)
      // What an earlier attempt sent may have been put in place only now.
      const late = await ask(() => findRestoreAnswer(operation, signal), signal)
      if (late) return late

      await events.insertFenced({ orgId, kind: 'restore_started', operationId, epoch: execution.epoch })
      await deps
        .transferFor(actor)
        .send({ orgId, from, key: keyOf(fromOrgId), restoreId: operationId, purpose: 'replace', signal })
      const answer = await ask(async () => {
        const last = await findRestore(operation)
        if (last === undefined) throw fail('daemon_offline') // it has not started again yet
        return restoreAnswer(operation, last, safetyBackupId)
      }, signal)
      return answer
    },
    findMarker: async (operation) => {
      const answer = await findRestoreAnswer(operation, AbortSignal.timeout(MARKER_MS)).catch(() => undefined)
      return answer && { outcome: 'succeeded', answer }
    },
    conclude: concluding('restored'),
  }

  function concluding(kind: 'backed_up' | 'backup_verified' | 'restored'): NonNullable<Effect['conclude']> {
    return async ({ operation: { orgId, operationId }, epoch, marker }) => {
      if (marker.outcome === 'succeeded') await events.insertFenced({ orgId, operationId, epoch, kind })
    }
  }

  return { backup, backup_drill: drill, restore }
}

function fromOf({ orgId, inputText }: OperationRecord): { orgId: string; backupId: string } {
  const input = JSON.parse(inputText) as { backupId: string; fromOrgId?: string }
  return { orgId: input.fromOrgId ?? orgId, backupId: input.backupId }
}
