import type { Log } from '@svc/shared/kit/log.ts'
import { answerText } from './execute-operation.ts'
import type { Effects, Marker, OperationRecord } from './operation.ts'
import type { OperationChanges } from './operation-changes.ts'
import type { OperationsRepository } from './operations.repository.ts'

type Deps = { repository: OperationsRepository; effects: Effects; changes: OperationChanges; log: Log }

/**
 * Records the outcome that the runtime proves, in place of an executor that may be gone. Nothing is repeated and no
 * claim is stolen: the marker carries this very operationId, and the record changes under the epoch that was read.
 */
export function createReconcileOperation({ repository, effects, changes, log }: Deps) {
  return async (record: OperationRecord, marker: Marker): Promise<void> => {
    const { epoch, operationId } = record
    if (epoch === undefined) return

    await effects[record.action]?.conclude?.({ operation: record, epoch, marker })
    const outcome =
      marker.outcome === 'succeeded'
        ? ({ state: 'succeeded', answer: answerText(marker.answer) } as const)
        : ({ state: 'failed', failure: marker.failure } as const)
    if (await repository.recordOutcome(record, epoch, outcome)) {
      log.info({ operationId, epoch, state: outcome.state }, 'operation reconciled by its runtime marker')
      changes.announce(operationId)
    }
  }
}
