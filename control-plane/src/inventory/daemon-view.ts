import type { DaemonView } from '@svc/shared/wire/admin/inventory.api.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'

/** What the inventory shows of a resource. */
export function toDaemonView({ name, uid, createdAt, deletedAt, spec, status }: ManagedDaemon): DaemonView {
  return {
    name,
    uid,
    createdAt,
    deleting: deletedAt !== undefined,
    paused: spec.paused,
    desiredState: spec.desiredState,
    observedState: status.observedState,
    image: spec.image,
    servingImage: status.image,
    lastGoodImage: status.lastGoodImage,
    version: status.version,
    provider: status.provider ?? {},
    storage: { size: spec.storage.size, ...status.storage, refusedBytes: status.failedGrowth?.sizeBytes },
    relay: { keyGeneration: spec.relay.keyGeneration, acceptedGeneration: spec.relay.acceptedGeneration },
    conditions: status.conditions,
    operation: status.operation,
  }
}
