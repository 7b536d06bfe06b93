import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { ReinstallResult } from '@svc/shared/wire/admin/admin.api.ts'
import { hasLostVolume, managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { Db } from '../db/database.ts'
import type { FencedTransaction } from '../operations/fenced-transaction.repository.ts'
import type { Effect, Execution, OperationRecord } from '../operations/operation.ts'
import { markerOf } from './marker.ts'
import { retryConflicts } from './retry-conflicts.ts'
import { awaitProof, findProof, type EffectDeps, type Prove } from './spec-effect.ts'

type Lease = { orgId: string; operationId: string; epoch: number; image: string }
/**
 * Renews the daemon's lease in the caller's transaction; a repeat changes nothing. False when there is nothing to
 * reinstall.
 */
export type LeaseAgain = (trx: Db, lease: Lease) => Promise<boolean>

export type ReinstallDeps = EffectDeps & {
  fencedTransaction: FencedTransaction
  leaseAgain: LeaseAgain
  /** Wakes the provisioner early; it works from the lease. */
  wakeProvisioning: (orgId: string) => Promise<void>
  /** Image of new daemons. */
  image: string | undefined
  /** Throws image_not_allowed unless the image may run here. */
  checkImage(image: string): void
}

/**
 * Recreates the resource of a daemon that was deleted in the cluster, with the image that ran last, or with that of new
 * daemons if the other may no longer run here. It gets a new key; a retained volume is adopted. A resource whose volume
 * is lost goes first. Any other existing resource is left alone, whoever created it.
 */
export function createReinstall(deps: ReinstallDeps): Effect {
  const { store, waiter, events, fencedTransaction, leaseAgain, wakeProvisioning, timeoutMs } = deps

  // The allowed repository may have changed: the cluster would refuse an image of the one before.
  const mayRun = (image: string): boolean => {
    try {
      deps.checkImage(image)
      return true
    } catch (error) {
      if (isFailure(error, 'image_not_allowed')) return false
      throw error
    }
  }

  const lease = async ({ operation: { orgId, operationId }, epoch }: Execution): Promise<void> => {
    const last = await events.findLastImage(orgId)
    const image = last !== undefined && mayRun(last) ? last : (deps.image ?? last)
    if (image === undefined) throw fail('operation_failed', { reason: 'NoHostedDaemons' })
    const lease = { orgId, operationId, epoch, image }
    const leased = await fencedTransaction({ operationId, epoch }, (trx) => leaseAgain(trx, lease))
    if (!leased) throw fail('operation_failed', { reason: 'NoManagedDaemon' })
  }

  /**
   * Removes a resource whose volume is lost: only a new one may have an empty volume. The resource goes only as it was
   * read, because its volume may come back at any time.
   */
  const removeLost = ({ operation: { orgId, operationId }, epoch }: Execution): Promise<void> =>
    retryConflicts(async () => {
      const found = await store.find(managedDaemonName(orgId))
      if (found === undefined || found.spec.operation?.id === operationId || !hasLostVolume(found.status)) return
      await fencedTransaction({ operationId, epoch }, async () => {})
      await store.remove(found.name, found)
    })

  return {
    execute: async (execution) => {
      const { operation, epoch, signal } = execution
      const { orgId, operationId } = operation
      const name = managedDaemonName(orgId)
      await removeLost(execution)
      // A resource that is being deleted must be gone first: its children have the same names as the new ones.
      const place = await waiter.until({ name, judge: (found) => placeFor(operation, found), timeoutMs, signal })
      if (place === undefined) throw fail('operation_retryable', { reason: 'StillGoing' })
      if (place === 'taken') throw fail('operation_failed', { reason: 'ResourcePresent' })

      // First the event: no scheduled backup of the new volume may displace one from before.
      await events.insertFenced({ orgId, kind: 'reinstall_started', operationId, epoch })
      await lease(execution)
      await wakeProvisioning(orgId)
      return awaitProof(deps, { operation, signal, prove, unproven: 'NotYetRunning' })
    },

    findMarker: (operation) => findProof(deps, operation, prove),

    conclude: async ({ operation: { orgId, operationId }, epoch, marker }) => {
      if (marker.outcome === 'succeeded') await events.insertFenced({ orgId, operationId, epoch, kind: 'reinstalled' })
    },
  }
}

/** Whether the resource may be created: there is none, or it is ours already. Undefined while one is being deleted. */
function placeFor({ operationId }: OperationRecord, found: ManagedDaemon | undefined): 'free' | 'taken' | undefined {
  if (found === undefined || found.spec.operation?.id === operationId) return 'free'
  return found.deletedAt === undefined ? 'taken' : undefined
}

const prove: Prove = (operation, found) => {
  if (found === undefined) return undefined // not created yet
  return markerOf(operation, found, ({ spec, status }) => {
    const { operationId, orgId } = operation
    if (status.observedState !== 'running') return undefined
    return { ok: true, operationId, orgId, image: spec.image, observedState: 'running' } satisfies ReinstallResult
  })
}
