import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { FencedOff, type Effects, type Marker, type OperationRecord } from './operation.ts'
import type { OperationsListRepository } from './operations-list.repository.ts'

type Deps = {
  lists: OperationsListRepository
  effects: Effects
  wake: (operationId: string) => Promise<void>
  /** Opens a retryable operation again; false if something else was faster. */
  reopen: (record: OperationRecord) => Promise<boolean>
  reconcile: (record: OperationRecord, marker: Marker) => Promise<void>
  clock: Clock
  log: Log
}

const WAITING_MS = 3_000
const EXECUTING_MS = 30_000

/**
 * Wakes executors for operations whose wake was lost, and records outcomes that the runtime has proved. Never releases
 * a claim, so it cannot steal one. Opens a deletion again that ended after its execution: nobody else can repeat it,
 * because its organization is hidden.
 */
export function createSweepOperations({ lists, effects, wake, reopen, reconcile, clock, log }: Deps) {
  const ago = (ms: number) => new Date(clock.now().getTime() - ms)

  const reconcileByMarker = async (record: OperationRecord): Promise<boolean> => {
    try {
      const marker = await effects[record.action]?.findMarker(record)
      if (marker === undefined) return false
      await reconcile(record, marker)
      return true
    } catch (error) {
      if (!(error instanceof FencedOff)) log.warn({ err: error, operationId: record.operationId }, 'marker not read')
      return false
    }
  }

  /** Records what the runtime has proved, and returns the operations that wait for an executor. */
  const listUnfinished = async (): Promise<string[]> => {
    let reconciled = 0
    for (const record of await lists.listExecuting(ago(EXECUTING_MS))) if (await reconcileByMarker(record)) reconciled++
    if (reconciled > 0) log.info({ reconciled }, 'operations reconciled by their runtime markers')
    const waiting = await lists.listWaiting(ago(WAITING_MS))
    for (const record of await lists.listTornDown()) if (await reopen(record)) waiting.push(record.operationId)
    return waiting
  }

  return {
    listUnfinished,
    sweep: async (): Promise<void> => {
      for (const operationId of await listUnfinished()) await wake(operationId)
    },
  }
}
