import { fail } from '@svc/shared/wire/errors.ts'
import type { StorageGrowResult } from '@svc/shared/wire/admin.api.ts'
import { managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { quantityBytes } from '@svc/shared/wire/quantity.ts'
import type { Effect, OperationRecord } from '../operations/operation.ts'
import { markerOf } from './marker.ts'
import { patchDaemon } from './patch-daemon.ts'
import type { EffectDeps } from './roll-image.ts'

/** Gives the volume of a managed daemon another size; it grows only. Neither wakes nor restarts the daemon. */
export function growStorage(deps: EffectDeps): Effect {
  const { store, waiter, events, timeoutMs } = deps

  return {
    execute: async (execution) => {
      const { operation, epoch, signal } = execution
      const { orgId, operationId } = operation
      const name = managedDaemonName(orgId)
      const size = sizeOf(operation)
      const before = await store.find(name)
      if (before !== undefined && before.spec.operation?.id !== operationId && !isLarger(size, before))
        throw fail('operation_failed', { reason: 'NotLarger' })

      await patchDaemon(deps, {
        execution,
        change: () => ({ storage: { size } }),
        fence: () => events.insertFenced({ orgId, kind: 'storage_grow_started', operationId, epoch }),
      })
      const marker = await waiter.until({ name, judge: (daemon) => proofOf(operation, daemon), timeoutMs, signal })
      if (marker === undefined) throw fail('operation_retryable', { reason: 'NotYetGrown' })
      if (marker.outcome === 'failed') throw fail('operation_failed', marker.failure)
      return marker.answer
    },

    findMarker: async (operation) => {
      const daemon = await store.find(managedDaemonName(operation.orgId))
      return daemon && proofOf(operation, daemon)
    },

    conclude: async ({ operation: { orgId, operationId }, epoch, marker }) => {
      if (marker.outcome === 'succeeded')
        await events.insertFenced({ orgId, operationId, epoch, kind: 'storage_grown' })
    },
  }
}

const sizeOf = ({ inputText }: OperationRecord) => (JSON.parse(inputText) as { size: string }).size

// An adopted volume may be larger than the spec asks for.
const isLarger = (size: string, { spec, status }: ManagedDaemon) =>
  quantityBytes(size) > Math.max(quantityBytes(spec.storage.size), status.storage?.capacityBytes ?? 0)

const proofOf = (operation: OperationRecord, daemon: ManagedDaemon | undefined) =>
  markerOf(operation, daemon, ({ status }) => {
    const { operationId, orgId } = operation
    const answer: StorageGrowResult = { ok: true, operationId, orgId, size: sizeOf(operation) }
    return status.storage === undefined ? answer : { ...answer, capacityBytes: status.storage.capacityBytes }
  })
