import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'

type Given = {
  daemon: ManagedDaemon | undefined
  orgId: string
  operationId: string
  epoch: number
  previousEpoch: number | undefined
}

/** What an execution does to the spec of its daemon. */
export type PatchPlan =
  { kind: 'patch'; daemon: ManagedDaemon } | { kind: 'applied'; daemon: ManagedDaemon } | { kind: Obstacle }

/**
 * Why the spec is left alone: no resource, a resource being deleted, a newer operation, or an epoch lower than the
 * resource has seen.
 */
export type Obstacle = 'absent' | 'deleting' | 'superseded' | 'epochs_behind'

/**
 * Decides whether an operation still has to change the spec. An operation that the spec names has been applied. One
 * that another operation has replaced is not applied again. Pure.
 */
export function planPatch({ daemon, orgId, operationId, epoch, previousEpoch }: Given): PatchPlan {
  if (daemon === undefined || daemon.spec.orgId !== orgId) return { kind: 'absent' }

  const last = daemon.spec.operation
  if (last?.id === operationId) return { kind: 'applied', daemon }
  if (daemon.deletedAt !== undefined) return { kind: 'deleting' }
  if (last === undefined) return { kind: 'patch', daemon }
  if (last.epoch > epoch) return { kind: 'epochs_behind' }
  if (previousEpoch !== undefined && last.epoch > previousEpoch) return { kind: 'superseded' }
  return { kind: 'patch', daemon }
}
