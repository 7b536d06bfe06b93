import { fail } from '@svc/shared/wire/errors.ts'
import type { CompedGrantResult } from '@svc/shared/wire/admin/admin.api.ts'
import type { Db } from '../db/database.ts'
import type { FencedTransaction } from '../operations/fenced-transaction.repository.ts'
import type { LifecycleEventsRepository } from '../operations/lifecycle-events.repository.ts'
import type { Effect, OperationRecord } from '../operations/operation.ts'

type Grant = { orgId: string; operationId: string; epoch: number; image: string }
/**
 * Writes entitlement and provisioning lease in the caller's transaction; false when there is an entitlement already.
 */
export type InstallGrant = (trx: Db, grant: Grant) => Promise<boolean>
export type FindEntitlement = (orgId: string) => Promise<{ operation_id: string; granted_at: Date } | undefined>

type Deps = {
  fencedTransaction: FencedTransaction
  findEntitlement: FindEntitlement
  events: LifecycleEventsRepository
  installGrant: InstallGrant
  /** Image of new daemons; undefined where there are none. */
  image: string | undefined
  /** Wakes the provisioner early; it works from the lease. */
  wakeProvisioning: (orgId: string) => Promise<void>
}

/** Grants initial complimentary hosting: entitlement and provisioning lease in one transaction. */
export function createGrantComped({
  fencedTransaction,
  findEntitlement,
  events,
  installGrant,
  image,
  wakeProvisioning,
}: Deps): Effect {
  const answerOf = async ({ orgId, operationId }: OperationRecord): Promise<CompedGrantResult | undefined> => {
    const entitlement = await findEntitlement(orgId)
    if (entitlement?.operation_id !== operationId) return undefined
    const grantedAt = entitlement.granted_at.toISOString()
    return { ok: true, operationId, orgId, entitlement: { kind: 'comped', grantedAt } }
  }

  return {
    execute: async ({ operation, epoch }) => {
      const { orgId, operationId } = operation
      if (image === undefined) throw fail('operation_failed', { reason: 'NoHostedDaemons' })

      const grant = { orgId, operationId, epoch, image }
      await fencedTransaction({ operationId, epoch }, (trx) => installGrant(trx, grant))
      const answer = await answerOf(operation)
      if (answer === undefined) throw fail('operation_failed', { reason: 'AlreadyEntitled' })
      return answer
    },

    findMarker: async (operation) => {
      const answer = await answerOf(operation)
      return answer && { outcome: 'succeeded', answer }
    },

    conclude: async ({ operation: { orgId, operationId }, epoch, marker }) => {
      if (marker.outcome === 'failed') return
      await events.insertFenced({ orgId, operationId, epoch, kind: 'entitled' })
      await wakeProvisioning(orgId)
    },
  }
}
