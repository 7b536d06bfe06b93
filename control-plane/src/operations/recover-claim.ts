import type { Actor, OperationAction } from '@svc/shared/wire/admin/admin.api.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { OperationChanges } from './operation-changes.ts'
import type { OperationsListRepository } from './operations-list.repository.ts'
import type { OperationsRepository } from './operations.repository.ts'

type Deps = {
  repository: OperationsRepository
  lists: OperationsListRepository
  changes: OperationChanges
  clock: Clock
}
export type RecoveryRequest = { orgId: string; action: OperationAction; expectedOwner: string; actor: Actor }

/**
 * Releases one stale claim when a person confirms that its executor has stopped; the operation becomes retryable.
 * Refused while the claim is young, is named wrongly, or its executor still holds the database lock.
 */
export function createRecoverClaim({ repository, lists, changes, clock }: Deps) {
  return async (request: RecoveryRequest): Promise<{ operationId: string }> => {
    const operationId = await repository.recover(request)
    if (operationId !== undefined) {
      changes.announce(operationId)
      return { operationId }
    }

    const claim = await lists.findClaim(request.orgId)
    if (claim === undefined) throw fail('not_found')
    throw fail('claim_not_recoverable', { reason: refusal(claim, request, clock.now()), expiresAt: claim.expiresAt })
  }
}

function refusal(
  claim: { action: string; owner: string; expiresAt: string },
  { action, expectedOwner }: RecoveryRequest,
  now: Date,
): string {
  if (claim.action !== action) return 'ActionDiffers'
  if (claim.owner !== expectedOwner) return 'OwnerDiffers'
  return claim.expiresAt >= now.toISOString() ? 'NotExpired' : 'ExecutorAlive'
}
