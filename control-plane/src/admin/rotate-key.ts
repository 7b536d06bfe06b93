import { fail } from '@svc/shared/wire/errors.ts'
import type { KeyRotationResult } from '@svc/shared/wire/admin.api.ts'
import { managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { Effect, OperationRecord } from '../operations/operation.ts'
import { markerOf } from './marker.ts'
import { patchDaemon } from './patch-daemon.ts'
import type { EffectDeps } from './roll-image.ts'

/** Asks for the next relay key of a managed daemon; nothing else of it changes and nothing restarts. */
export function rotateKey(deps: EffectDeps): Effect {
  const { store, waiter, events, timeoutMs } = deps

  return {
    execute: async (execution) => {
      const { operation, epoch, signal } = execution
      const { orgId, operationId } = operation
      await patchDaemon(deps, {
        execution,
        change: ({ relay }) => ({ relay: { keyGeneration: relay.keyGeneration + 1 } }),
        fence: () => events.insertFenced({ orgId, kind: 'key_rotation_started', operationId, epoch }),
      })
      const name = managedDaemonName(orgId)
      const marker = await waiter.until({ name, judge: (daemon) => proofOf(operation, daemon), timeoutMs, signal })
      if (marker === undefined) throw fail('operation_retryable', { reason: 'NotYetRotated' })
      if (marker.outcome === 'failed') throw fail('operation_failed', marker.failure)
      return marker.answer
    },

    findMarker: async (operation) => {
      const daemon = await store.find(managedDaemonName(operation.orgId))
      return daemon && proofOf(operation, daemon)
    },

    conclude: async ({ operation: { orgId, operationId }, epoch, marker }) => {
      if (marker.outcome === 'succeeded') await events.insertFenced({ orgId, operationId, epoch, kind: 'key_rotated' })
    },
  }
}

const proofOf = (operation: OperationRecord, daemon: ManagedDaemon | undefined) =>
  markerOf(operation, daemon, ({ spec: { relay } }) => {
    if (relay.acceptedGeneration < relay.keyGeneration) return undefined
    const { operationId, orgId } = operation
    return { ok: true, operationId, orgId, keyGeneration: relay.keyGeneration } satisfies KeyRotationResult
  })
