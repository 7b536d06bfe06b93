import { fail } from '@svc/shared/wire/errors.ts'
import { managedDaemonName, type ManagedDaemon, type ManagedDaemonSpec } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonStore, SpecPatch } from '@svc/shared/wire/managed-daemon-store.ts'
import type { Execution } from '../operations/operation.ts'
import { planPatch, type Obstacle } from './plan-patch.ts'
import { retryConflicts } from './retry-conflicts.ts'

export type PatchDeps = {
  store: ManagedDaemonStore
  /** Raises the epochs of the database above one that a resource has seen. */
  raiseEpochs: (above: number) => Promise<void>
}

type Change = {
  execution: Execution
  /** The change. Called only when there is something to change, and again after a conflict. */
  change: (spec: ManagedDaemonSpec) => SpecPatch | Promise<SpecPatch>
  /** Throws FencedOff unless the claim is held; called right before the patch. */
  fence: () => Promise<void>
}

const reasons: Record<Exclude<Obstacle, 'epochs_behind'>, string> = {
  absent: 'NoManagedDaemon',
  deleting: 'Deleting',
  superseded: 'Superseded',
}

/**
 * Changes the spec once for an operation. One patch carries the change and the operation, so a repeat finds it applied
 * and changes nothing. After a conflict with another writer it reads again and retries.
 */
export async function patchDaemon({ store, raiseEpochs }: PatchDeps, wanted: Change): Promise<ManagedDaemon> {
  const { operation, epoch, previousEpoch } = wanted.execution
  const { orgId, operationId, action } = operation
  const name = managedDaemonName(orgId)

  return retryConflicts(async () => {
    const daemon = await store.find(name)
    const plan = planPatch({ daemon, orgId, operationId, epoch, previousEpoch })
    if (plan.kind === 'applied') return plan.daemon

    const change = plan.kind === 'patch' ? await wanted.change(plan.daemon.spec) : {}
    await wanted.fence()
    if (plan.kind === 'epochs_behind') {
      await raiseEpochs(daemon?.spec.operation?.epoch ?? epoch)
      throw fail('operation_retryable', { reason: 'EpochsBehind' })
    }
    if (plan.kind !== 'patch') throw fail('operation_failed', { reason: reasons[plan.kind] })

    const patch = { ...change, operation: { id: operationId, action, epoch } }
    return store.patchSpec(name, plan.daemon.resourceVersion, patch)
  })
}
