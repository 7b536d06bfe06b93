import type { ImageRollResult } from '@svc/shared/wire/admin/admin.api.ts'
import { isSameImage } from '@svc/shared/wire/image-reference.ts'
import type { Effect, OperationRecord } from '../operations/operation.ts'
import type { ResolveImage } from '../registry/resolve-image.ts'
import { markerOf } from './marker.ts'
import { patchDaemon } from './patch-daemon.ts'
import { awaitProof, findProof, type EffectDeps, type Prove } from './spec-effect.ts'

/**
 * Rolls one managed daemon to an exact image. One patch sets image, state, next relay key and operation. Done when the
 * same organization runs that image.
 */
export function createRollImage(deps: EffectDeps & { resolveImage: ResolveImage }): Effect {
  const { events, resolveImage } = deps

  return {
    execute: async (execution) => {
      const { operation, epoch, signal } = execution
      const { orgId, operationId } = operation
      let image = imageOf(operation)
      await patchDaemon(deps, {
        execution,
        // A tag is resolved for the patch only: an applied roll keeps its image, wherever the tag moves.
        change: async ({ relay }) => {
          image = await resolveImage(image)
          return { image, desiredState: 'running', relay: { keyGeneration: relay.keyGeneration + 1 } }
        },
        fence: () => events.insertFenced({ orgId, kind: 'image_roll_started', operationId, epoch, image }),
      })
      return awaitProof(deps, { operation, signal, prove, unproven: 'NotYetRunning' })
    },

    findMarker: (operation) => findProof(deps, operation, prove),

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

// Only the runtime reports success: its marker, its state and its image.
const prove: Prove = (operation, found) => {
  const { operationId, orgId } = operation
  const image = imageOf(operation)
  return markerOf(operation, found, ({ status }) => {
    if (status.observedState !== 'running' || status.image === undefined) return undefined
    if (!isSameImage(image, status.image)) return undefined
    const answer: ImageRollResult = { ok: true, operationId, orgId, image: status.image, observedState: 'running' }
    return status.version === undefined ? answer : { ...answer, version: status.version }
  })
}
