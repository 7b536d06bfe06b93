import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { Marker, OperationRecord } from '../operations/operation.ts'

/**
 * What the runtime marker of a resource proves about an operation. `answerOf` returns the success to record, or
 * undefined until the daemon is in the state that the operation wants. Pure.
 */
export function markerOf(
  { operationId, orgId }: OperationRecord,
  daemon: ManagedDaemon | undefined,
  answerOf: (daemon: ManagedDaemon) => object | undefined,
): Marker | undefined {
  if (daemon === undefined) return { outcome: 'failed', failure: { code: 'operation_failed', reason: 'Deleted' } }
  if (daemon.spec.orgId !== orgId) return undefined

  const { id, outcome, reason = 'Failed', message } = daemon.status.operation ?? {}
  if (id === operationId && outcome === 'failed') {
    const failure = { code: 'operation_failed', reason }
    return { outcome, failure: message === undefined ? failure : { ...failure, message } }
  }
  if (id !== operationId || outcome !== 'succeeded') return undefined

  const answer = answerOf(daemon)
  return answer && { outcome, answer }
}
