import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { randomBase32 } from '@svc/shared/wire/ids.ts'
import type { Db } from '../db/database.ts'
import { executeOperation } from './execute-operation.ts'
import { lifecycleEventsRepository, type LifecycleEventsRepository } from './lifecycle-events.repository.ts'
import type { Effects } from './operation.ts'
import { operationChanges } from './operation-changes.ts'
import { operationsListRepository } from './operations-list.repository.ts'
import { operationsRepository } from './operations.repository.ts'
import { reconcileOperation } from './reconcile-operation.ts'
import { recoverClaim } from './recover-claim.ts'
import { runOperation } from './run-operation.ts'
import { sweepOperations } from './sweep-operations.ts'

export type OperationsDeps = {
  db: Db
  clock: Clock
  log: Log
  /** Replica and boot of this process; the same name as its executor lock. */
  executor: string
  /** What the actions do, given what effects write with. */
  effects: (tools: EffectTools) => Effects
  /** Hints an executor that an operation waits, for example by a job. May be lost. */
  wake: (operationId: string) => Promise<void>
  random?: () => number
}

export type EffectTools = {
  events: LifecycleEventsRepository
  raiseEpochs: (above: number) => Promise<void>
}
export type Operations = ReturnType<typeof createOperations>

/** The engine of audited operations: run, execute, sweep, recover, list. */
export function createOperations({ db, clock, log, executor, wake, ...deps }: OperationsDeps) {
  const repository = operationsRepository(db, clock)
  const lists = operationsListRepository(db, clock)
  const events = lifecycleEventsRepository(db, clock)
  const changes = operationChanges(clock)
  const effects = deps.effects({ events, raiseEpochs: repository.raiseEpochs })
  const reconcile = reconcileOperation({ repository, effects, changes, log })
  const newOwner = () => `${executor}:${randomBase32(16)}`
  const random = deps.random ?? Math.random

  return {
    run: runOperation({ repository, effects, reconcile, wake, changes, clock, log }),
    execute: executeOperation({ repository, effects, executor, newOwner, changes, clock, log, random }),
    sweep: sweepOperations({ lists, effects, wake, reconcile, clock, log }),
    recover: recoverClaim({ repository, lists, changes, clock }),
    find: repository.find,
    isBusy: lists.isBusy,
    listMutations: lists.listMutations,
    listClaims: lists.listClaims,
    events,
  }
}
