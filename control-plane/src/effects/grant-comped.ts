import { fail } from '@svc/shared/wire/errors.ts'
import type { CompedGrantResult } from '@svc/shared/wire/admin.api.ts'
import type { LifecycleEventsRepository } from '../operations/lifecycle-events.repository.ts'
import { FencedOff, type Effect, type OperationRecord } from '../operations/operation.ts'
import type { GrantsRepository, InstallGrant } from './grants.repository.ts'

type Deps = {
  grants: GrantsRepository
  events: LifecycleEventsRepository
  installGrant: InstallGrant
  /** Image of new daemons; undefined where there are none. */
  image: string | undefined
  /** Hints the provisioner; the lease is what it works from. */
  wakeProvisioning: (orgId: string) => Promise<void>
}

/** Grants initial complimentary hosted access: entitlement and provisioning lease in one transaction. */
export function grantComped({ grants, events, installGrant, image, wakeProvisioning }: Deps): Effect {
  const answerOf = async ({ orgId, operationId }: OperationRecord): Promise<CompedGrantResult | undefined> => {
    const entitlement = await grants.findEntitlement(orgId)
    if (entitlement?.operation_id !== operationId) return undefined
    const grantedAt = entitlement.granted_at.toISOString()
    return { ok: true, operationId, orgId, entitlement: { kind: 'comped', grantedAt } }
  }

  return {
    execute: async ({ operation, epoch }) => {
      const { orgId, operationId } = operation
      if (image === undefined) throw fail('operation_failed', { reason: 'NoHostedDaemons' })

      const { held } = await grants.insertComped({ orgId, operationId, epoch, image }, installGrant)
      if (!held) throw new FencedOff(operationId, epoch)
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
