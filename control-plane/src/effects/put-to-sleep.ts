import { fail } from '@svc/shared/wire/errors.ts'
import type { SleepResult } from '@svc/shared/wire/admin/admin.api.ts'
import { isLosingVolume } from '@svc/shared/wire/managed-daemon.ts'
import type { Effect } from '../operations/operation.ts'
import { markerOf } from './marker.ts'
import { createSpecEffect, type EffectDeps, type Prove } from './spec-effect.ts'

/** Forgets what is recorded of the use of a daemon before an earlier sleep: its last backup may lack edits since. */
export type ForgetUse = (orgId: string) => Promise<void>

/**
 * Puts a managed daemon to sleep: the operator stops it only after it has reported everything durable. A request in
 * between wakes it, and the operation fails.
 */
export const createPutToSleep = (deps: EffectDeps & { forgetUse: ForgetUse | undefined }): Effect =>
  createSpecEffect(deps, {
    refuse: (_operation, { status }) => {
      if (isLosingVolume(status)) throw fail('operation_failed', { reason: 'VolumeLost' })
    },
    change: async ({ orgId }) => {
      await deps.forgetUse?.(orgId)
      return { desiredState: 'sleeping' }
    },
    prove,
    unproven: 'NotYetAsleep',
    started: 'sleep_requested',
  })

const prove: Prove = (operation, found) => {
  const { operationId, orgId } = operation
  const isOurs = found?.spec.operation?.id === operationId
  if (isOurs && found.spec.desiredState === 'running')
    return { outcome: 'failed', failure: { code: 'operation_failed', reason: 'Woken' } }
  return markerOf(operation, found, ({ status }) => {
    if (status.observedState !== 'sleeping') return undefined
    return { ok: true, operationId, orgId, observedState: 'sleeping' } satisfies SleepResult
  })
}
