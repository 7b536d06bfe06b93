import { fail } from '@svc/shared/wire/errors.ts'
import type { ImageRollResult } from '@svc/shared/wire/admin.api.ts'
import { isSameImage } from '@svc/shared/wire/image-reference.ts'
import { managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { LifecycleEventsRepository } from '../operations/lifecycle-events.repository.ts'
import type { Effect, Marker, OperationRecord } from '../operations/operation.ts'
import type { DaemonWaiter } from './daemon-waiter.ts'
import type { ResolveImage } from '../registry/resolve-image.ts'
import { markerOf } from './marker.ts'
import { patchDaemon, type PatchDeps } from './patch-daemon.ts'

export type EffectDeps = PatchDeps & {
  waiter: DaemonWaiter
  events: LifecycleEventsRepository
  /** How long an execution waits for the runtime before the operation becomes retryable. */
  timeoutMs: number
}

/**
 * Rolls one managed daemon to an exact image: one patch sets image, state, next relay key and operation, and keeps
 * everything else. Done when the same organization runs that image.
 */
export function rollImage(deps: EffectDeps & { resolveImage: ResolveImage }): Effect {
  const { store, waiter, events, resolveImage, timeoutMs } = deps

  return {
    execute: async (execution) => {
      const { operation, epoch, signal } = execution
      const { orgId, operationId } = operation
      let image = imageOf(operation)
      await patchDaemon(deps, {
        execution,
        // A tag is resolved for the patch alone: a roll that was applied keeps its image, wherever the tag goes.
        change: async ({ relay }) => {
          image = await resolveImage(image)
          return { image, desiredState: 'running', relay: { keyGeneration: relay.keyGeneration + 1 } }
        },
        fence: () => events.insertFenced({ orgId, kind: 'image_roll_started', operationId, epoch, image }),
      })
      const name = managedDaemonName(orgId)
      const marker = await waiter.until({ name, judge: (daemon) => proofOf(operation, daemon), timeoutMs, signal })
      if (marker === undefined) throw fail('operation_retryable', { reason: 'NotYetRunning' })
      if (marker.outcome === 'failed') throw fail('operation_failed', marker.failure)
      return marker.answer
    },

    findMarker: async (operation) => {
      const daemon = await store.find(managedDaemonName(operation.orgId))
      return daemon && proofOf(operation, daemon)
    },

    conclude: async ({ operation, epoch, marker }) => {
      const { orgId, operationId } = operation
      if (marker.outcome === 'failed') {
        const failed = { orgId, operationId, epoch, image: imageOf(operation), reason: marker.failure.reason }
        return events.insertFenced({ ...failed, kind: 'image_roll_failed' })
      }
      const event = { orgId, operationId, epoch, image: (marker.answer as ImageRollResult).image }
      await events.insertFenced({ ...event, kind: 'image_rolled' })
      await events.insertFenced({ ...event, kind: 'key_rotated' })
    },
  }
}

const imageOf = ({ inputText }: OperationRecord) => (JSON.parse(inputText) as { image: string }).image

// Success is told by the runtime alone: its marker, that it runs, and what it runs.
function proofOf(operation: OperationRecord, daemon: ManagedDaemon | undefined): Marker | undefined {
  const { operationId, orgId } = operation
  const image = imageOf(operation)
  return markerOf(operation, daemon, ({ status }) => {
    if (status.observedState !== 'running' || status.image === undefined) return undefined
    if (!isSameImage(image, status.image)) return undefined
    const answer: ImageRollResult = { ok: true, operationId, orgId, image: status.image, observedState: 'running' }
    return status.version === undefined ? answer : { ...answer, version: status.version }
  })
}
