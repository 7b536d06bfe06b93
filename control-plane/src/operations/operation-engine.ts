import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { randomBase32 } from '@svc/shared/wire/new-id.ts'
import type { Db } from '../db/database.ts'
import { createExecuteOperation } from './execute-operation.ts'
import { createFencedTransaction, type FencedTransaction } from './fenced-transaction.repository.ts'
import { lifecycleEventsRepository, type LifecycleEventsRepository } from './lifecycle-events.repository.ts'
import type { Effects } from './operation.ts'
import { createOperationChanges } from './operation-changes.ts'
import { operationsListRepository } from './operations-list.repository.ts'
import { operationsRepository } from './operations.repository.ts'
import { createReconcileOperation } from './reconcile-operation.ts'
import { createRecoverClaim } from './recover-claim.ts'
import { createRunOperation } from './run-operation.ts'
import { createSweepOperations } from './sweep-operations.ts'
import { createUnlessBusy } from './unless-busy.repository.ts'

export type OperationsDeps = {
  db: Db
  clock: Clock
  log: Log
  /** Replica and boot id of this process, as in its executor lock. */
  executor: string
  /** The effects of the actions, given what they need to write. */
  effects: (tools: EffectTools) => Effects
  /** Wakes an executor for a waiting operation, for example by a job. The wake may be lost. */
  wake: (operationId: string) => Promise<void>
  /** False once the organization is deleted or being deleted: its waiting operations are not executed. */
  isLiving: (orgId: string) => Promise<boolean>
  random?: () => number
}
/** Kind of the job that executes one operation; its subject is the operationId. */
export const EXECUTE_OPERATION = 'execute-operation'

export type EffectTools = {
  events: LifecycleEventsRepository
  raiseEpochs: (above: number) => Promise<void>
  fencedTransaction: FencedTransaction
}
export type OperationEngine = ReturnType<typeof createOperationEngine>

/** The engine of audited operations: run, execute, sweep, recover, list. */
export function createOperationEngine({ db, clock, log, executor, wake, ...deps }: OperationsDeps) {
  const repository = operationsRepository(db, clock)
  const lists = operationsListRepository(db, clock)
  const events = lifecycleEventsRepository(db, clock)
  const changes = createOperationChanges(clock)
  const effects = deps.effects({
    events,
    raiseEpochs: repository.raiseEpochs,
    fencedTransaction: createFencedTransaction(db),
  })
  const reconcile = createReconcileOperation({ repository, effects, changes, log })
  const { isLiving } = deps
  const { sweep, listUnfinished } = createSweepOperations({
    lists,
    effects,
    wake,
    reopen: repository.reopen,
    reconcile,
    clock,
    log,
  })
  const newOwner = () => `${executor}:${randomBase32(16)}`
  const random = deps.random ?? Math.random

  return {
    run: createRunOperation({ repository, effects, reconcile, wake, changes, clock, log }),
    execute: createExecuteOperation({ repository, effects, executor, newOwner, isLiving, changes, clock, log, random }),
    sweep,
    sweepSource: { kind: EXECUTE_OPERATION, listUnfinished },
    recover: createRecoverClaim({ repository, lists, changes, clock }),
    find: repository.find,
    isBusy: lists.isBusy,
    unlessBusy: createUnlessBusy(db),
    listMutations: lists.listMutations,
    listRecent: lists.listRecent,
    listClaims: lists.listClaims,
    events,
  }
}
