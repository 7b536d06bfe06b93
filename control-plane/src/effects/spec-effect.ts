import { fail } from '@svc/shared/wire/errors.ts'
import type { LifecycleEvent } from '@svc/shared/wire/admin/admin.api.ts'
import { managedDaemonName, type ManagedDaemon, type ManagedDaemonSpec } from '@svc/shared/wire/managed-daemon.ts'
import type { SpecPatch } from '@svc/shared/wire/managed-daemon-store.ts'
import type { LifecycleEventsRepository } from '../operations/lifecycle-events.repository.ts'
import type { Effect, Marker, OperationRecord } from '../operations/operation.ts'
import type { DaemonWaiter } from '../managed-daemons/daemon-waiter.ts'
import { patchDaemon, type PatchDeps } from './patch-daemon.ts'

export type EffectDeps = PatchDeps & {
  waiter: DaemonWaiter
  events: LifecycleEventsRepository
  /** How long an execution waits for the runtime before the operation becomes retryable. */
  timeoutMs: number
}

/** What the resource proves about an operation; undefined while it proves nothing. Has no effects. */
export type Prove = (operation: OperationRecord, daemon: ManagedDaemon | undefined) => Marker | undefined

type SpecEffect = {
  change: (operation: OperationRecord, spec: ManagedDaemonSpec) => SpecPatch | Promise<SpecPatch>
  /** Throws, before anything changes, when the operation makes no sense for this daemon. */
  refuse?: (operation: OperationRecord, daemon: ManagedDaemon) => void
  prove: Prove
  /** Reason of `operation_retryable` when the runtime proves nothing in time. */
  unproven: string
  /** Lifecycle events to record before the change and with a success. */
  started: LifecycleEvent['kind']
  succeeded?: LifecycleEvent['kind']
}

/** An effect that starts with one patch of the spec and ends with the runtime's marker. */
export function createSpecEffect(
  deps: EffectDeps,
  { change, refuse, prove, unproven, started, succeeded }: SpecEffect,
): Effect {
  const { store, events } = deps
  return {
    execute: async (execution) => {
      const { operation, epoch, signal } = execution
      const { orgId, operationId } = operation
      const before = refuse && (await store.find(managedDaemonName(orgId)))
      if (before !== undefined && before.spec.operation?.id !== operationId) refuse?.(operation, before)
      await patchDaemon(deps, {
        execution,
        change: (spec) => change(operation, spec),
        fence: () => events.insertFenced({ orgId, kind: started, operationId, epoch }),
      })
      return awaitProof(deps, { operation, signal, prove, unproven })
    },
    findMarker: (operation) => findProof(deps, operation, prove),
    conclude: async ({ operation: { orgId, operationId }, epoch, marker }) => {
      if (succeeded !== undefined && marker.outcome === 'succeeded')
        await events.insertFenced({ orgId, operationId, epoch, kind: succeeded })
    },
  }
}

type Awaited = { operation: OperationRecord; signal: AbortSignal; prove: Prove; unproven: string }

/**
 * Waits for the runtime's proof and returns it; throws `operation_failed`, or `operation_retryable` at the deadline.
 */
export async function awaitProof({ waiter, timeoutMs }: EffectDeps, wanted: Awaited): Promise<object> {
  const { operation, signal, prove, unproven } = wanted
  const name = managedDaemonName(operation.orgId)
  const marker = await waiter.until({ name, judge: (daemon) => prove(operation, daemon), timeoutMs, signal })
  if (marker === undefined) throw fail('operation_retryable', { reason: unproven })
  if (marker.outcome === 'failed') throw fail('operation_failed', marker.failure)
  return marker.answer
}

/** The proof on the resource now. An absent resource proves nothing, because its deletion was not observed. */
export async function findProof({ store }: EffectDeps, operation: OperationRecord, prove: Prove) {
  const daemon = await store.find(managedDaemonName(operation.orgId))
  return daemon && prove(operation, daemon)
}
