import { fail } from '@svc/shared/wire/errors.ts'
import type { StorageGrowResult } from '@svc/shared/wire/admin/admin.api.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { quantityBytes } from '@svc/shared/wire/quantity.ts'
import { growthPatch, type GrowthSettings } from '../managed-daemons/auto-grow.ts'
import type { Effect, OperationRecord } from '../operations/operation.ts'
import { markerOf } from './marker.ts'
import { createSpecEffect, type EffectDeps, type Prove } from './spec-effect.ts'

/** How the volume of an organization grows by itself. */
export type GrowthOf = (orgId: string) => Promise<GrowthSettings>

/** Enlarges the volume of a managed daemon. Neither wakes nor restarts the daemon. */
export const createGrowStorage = (deps: EffectDeps & { growthOf: GrowthOf }): Effect =>
  createSpecEffect(deps, {
    refuse: (operation, daemon) => {
      if (!isLarger(sizeOf(operation), daemon)) throw fail('operation_failed', { reason: 'NotLarger' })
    },
    change: async (operation, { storage }) => {
      const size = sizeOf(operation)
      // The ceiling of automatic growth may not be below the size, and a larger size that was refused left it too high.
      const autoGrow = growthPatch({ ...storage, size }, await deps.growthOf(operation.orgId))
      return { storage: autoGrow === undefined ? { size } : { size, autoGrow } }
    },
    prove,
    unproven: 'NotYetGrown',
    started: 'storage_grow_started',
    succeeded: 'storage_grown',
  })

const sizeOf = ({ inputText }: OperationRecord) => (JSON.parse(inputText) as { size: string }).size

/** Whether a size may be asked for. An adopted volume may be larger than the spec says. */
export function isLarger(size: string, { spec, status }: Pick<ManagedDaemon, 'spec' | 'status'>): boolean {
  const bytes = quantityBytes(size)
  const wanted = quantityBytes(spec.storage.size)
  const { storage, failedGrowth } = status
  if (failedGrowth === undefined) return bytes > Math.max(wanted, storage?.capacityBytes ?? 0)
  // After a refused growth the spec may say more than the volume has: the same size may be asked for again, and a
  // smaller one as well if the size of the volume is known.
  return storage === undefined ? bytes >= wanted : bytes > storage.capacityBytes
}

const prove: Prove = (operation, found) =>
  markerOf(operation, found, ({ status }) => {
    const { operationId, orgId } = operation
    const answer: StorageGrowResult = { ok: true, operationId, orgId, size: sizeOf(operation) }
    return status.storage === undefined ? answer : { ...answer, capacityBytes: status.storage.capacityBytes }
  })
