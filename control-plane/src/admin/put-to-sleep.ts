import { fail } from '@svc/shared/wire/errors.ts'
import type { SleepResult } from '@svc/shared/wire/admin.api.ts'
import { managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { Effect, Marker, OperationRecord } from '../operations/operation.ts'
import { markerOf } from './marker.ts'
import { patchDaemon } from './patch-daemon.ts'
import type { EffectDeps } from './roll-image.ts'

/**
 * Puts a managed daemon to sleep: the operator stops it only after it has said that everything is durable. Whoever comes
 * meanwhile wakes it, and the operation has then failed.
 */
export function putToSleep(deps: EffectDeps): Effect {
  const { store, waiter, events, timeoutMs } = deps

  return {
    execute: async (execution) => {
      const { operation, epoch, signal } = execution
      const { orgId, operationId } = operation
      await patchDaemon(deps, {
        execution,
        change: () => ({ desiredState: 'sleeping' }),
        fence: () => events.insertFenced({ orgId, kind: 'sleep_requested', operationId, epoch }),
      })
      const name = managedDaemonName(orgId)
      const marker = await waiter.until({ name, judge: (daemon) => proofOf(operation, daemon), timeoutMs, signal })
      if (marker === undefined) throw fail('operation_retryable', { reason: 'NotYetAsleep' })
      if (marker.outcome === 'failed') throw fail('operation_failed', marker.failure)
      return marker.answer
    },

    findMarker: async (operation) => {
      const daemon = await store.find(managedDaemonName(operation.orgId))
      return daemon && proofOf(operation, daemon)
    },
  }
}

function proofOf(operation: OperationRecord, daemon: ManagedDaemon | undefined): Marker | undefined {
  const { operationId, orgId } = operation
  const isOurs = daemon?.spec.operation?.id === operationId
  if (isOurs && daemon.spec.desiredState === 'running')
    return { outcome: 'failed', failure: { code: 'operation_failed', reason: 'Woken' } }
  return markerOf(operation, daemon, ({ status }) => {
    if (status.observedState !== 'sleeping') return undefined
    return { ok: true, operationId, orgId, observedState: 'sleeping' } satisfies SleepResult
  })
}
