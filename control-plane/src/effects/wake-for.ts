import { fail } from '@svc/shared/wire/errors.ts'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import type { Execution } from '../operations/operation.ts'
import { patchDaemon } from './patch-daemon.ts'
import type { EffectDeps } from './spec-effect.ts'

/** Wakes the daemon for an operation that has to query it. True when it slept before this operation. */
export async function wakeFor(deps: EffectDeps, execution: Execution): Promise<boolean> {
  const { store, events } = deps
  const { orgId, operationId } = execution.operation
  const daemon = await store.find(managedDaemonName(orgId))
  if (daemon === undefined) throw fail('operation_failed', { reason: 'NoManagedDaemon' })
  if (daemon.spec.desiredState === 'running') return daemon.spec.operation?.id === operationId

  await patchDaemon(deps, {
    execution,
    change: () => ({ desiredState: 'running' }),
    fence: () => events.insertFenced({ orgId, kind: 'wake_requested', operationId, epoch: execution.epoch }),
  })
  return true
}
