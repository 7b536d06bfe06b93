import type { KeyRotationResult } from '@svc/shared/wire/admin/admin.api.ts'
import type { Effect } from '../operations/operation.ts'
import { markerOf } from './marker.ts'
import { createSpecEffect, type EffectDeps, type Prove } from './spec-effect.ts'

/** Requests the next relay key of a managed daemon. Nothing else changes and nothing restarts. */
export const createRotateKey = (deps: EffectDeps): Effect =>
  createSpecEffect(deps, {
    change: (_, { relay }) => ({ relay: { keyGeneration: relay.keyGeneration + 1 } }),
    prove,
    unproven: 'NotYetRotated',
    started: 'key_rotation_started',
    succeeded: 'key_rotated',
  })

const prove: Prove = (operation, found) =>
  markerOf(operation, found, ({ spec: { relay } }) => {
    if (relay.acceptedGeneration < relay.keyGeneration) return undefined
    const { operationId, orgId } = operation
    return { ok: true, operationId, orgId, keyGeneration: relay.keyGeneration } satisfies KeyRotationResult
  })
