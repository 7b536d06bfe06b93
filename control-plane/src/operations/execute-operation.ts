import type { Clock } from '@svc/shared/kit/clock.ts'
import { fullJitter } from '@svc/shared/kit/backoff.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { canonicalJson, type Json } from '../audit/canonical-json.ts'
import { isLostConnection } from '../db/lost-connection.ts'
import {
  FencedOff,
  type Effect,
  type Effects,
  type Execution,
  type Marker,
  type OperationInput,
  type OperationRecord,
} from './operation.ts'
import type { OperationChanges } from './operation-changes.ts'
import type { OperationsRepository, TakenClaim } from './operations.repository.ts'
import { outcomeOfFailure, type FailedOutcome } from './outcome.ts'

export type ExecutionDeps = {
  repository: OperationsRepository
  effects: Effects
  /** Replica and boot id of this process, which also name its advisory lock. */
  executor: string
  /** A new name for one execution, never used again. */
  newOwner: () => string
  /**
   * False once the organization is deleted or being deleted. Checked after the claim, which a deletion cannot overtake.
   */
  isLiving: (orgId: string) => Promise<boolean>
  changes: OperationChanges
  clock: Clock
  log: Log
  random: () => number
}

const BACKOFF = { baseMs: 100, capMs: 5_000 }

/**
 * Executes a waiting operation: claim, effect, outcome. Any number of executors may be woken for the same operation;
 * one gets the claim, the others return. When the process stops, it hands the operation back.
 */
export function createExecuteOperation(deps: ExecutionDeps) {
  const { repository, effects, executor, changes, log } = deps

  return async (operationId: string, signal: AbortSignal): Promise<void> => {
    const known = await repository.find(operationId)
    const effect = known && effects[known.action]
    if (known?.state !== 'requested' || effect === undefined) return

    const owner = deps.newOwner()
    const taken = await claimSurely(deps, known, { owner, executor })
    if (taken === undefined) return

    const { record, epoch, previousEpoch } = taken
    const input = JSON.parse(record.inputText) as OperationInput
    const execution: Execution = { operation: record, input, owner, epoch, previousEpoch, signal }
    try {
      const outcome = await carryOut(deps, effect, execution)
      const recorded = await persist(deps, () => repository.recordOutcome(record, epoch, outcome))
      // If not recorded, it was reconciled by its marker meanwhile, or the first attempt succeeded without a response.
      log.info({ operationId, action: record.action, epoch, state: outcome.state, recorded }, 'operation ended')
    } catch (error) {
      if (!(error instanceof FencedOff)) throw error
      log.warn({ operationId, epoch }, 'the claim was recovered; this execution ends without an outcome')
    } finally {
      changes.announce(operationId)
    }
  }
}

type Outcome = { state: 'succeeded'; answer: string } | { state: 'requested' } | FailedOutcome

async function carryOut(deps: ExecutionDeps, effect: Effect, execution: Execution): Promise<Outcome> {
  const { operation, epoch, signal } = execution
  try {
    if (operation.action !== 'deletion' && !(await deps.isLiving(operation.orgId)))
      throw fail('operation_failed', { reason: 'OrganizationDeleted' })
    const answer = await effect.execute(execution)
    await concluded(deps, effect, { operation, epoch, marker: { outcome: 'succeeded', answer } })
    return { state: 'succeeded', answer: answerText(answer) }
  } catch (error) {
    if (error instanceof FencedOff) throw error
    if (signal.aborted) return { state: 'requested' }

    const outcome = outcomeOfFailure(error)
    deps.log.warn({ err: error, operationId: operation.operationId, outcome: outcome.state }, 'operation met a failure')
    if (outcome.state === 'failed')
      await concluded(deps, effect, { operation, epoch, marker: { outcome: 'failed', failure: outcome.failure } })
    return outcome
  }
}

type Conclusion = { operation: OperationRecord; epoch: number; marker: Marker }

const concluded = (deps: ExecutionDeps, effect: Effect, conclusion: Conclusion) =>
  persist(deps, async () => effect.conclude?.(conclusion))

/** A success in the form in which it is recorded and returned. */
export const answerText = (answer: object): string => canonicalJson(answer as Json)

// If the connection breaks during the claim, the claim is looked up by its owner to learn whether it was taken.
async function claimSurely(
  deps: ExecutionDeps,
  record: OperationRecord,
  holder: { owner: string; executor: string },
): Promise<TakenClaim | undefined> {
  const { repository } = deps
  try {
    return await repository.claim(record, holder)
  } catch (error) {
    if (!isLostConnection(error)) throw error
    const held = await persist(deps, () => repository.findClaim(holder.owner))
    const now = await persist(deps, () => repository.find(record.operationId))
    return held && now && { record: now, epoch: held.epoch, previousEpoch: record.epoch }
  }
}

// The outcome must survive an outage of the database. The claim is kept until the outcome is recorded.
async function persist<T>({ clock, random, log }: ExecutionDeps, write: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      if (!isLostConnection(error)) throw error
      log.warn({ err: error, attempt }, 'the database is away; trying again')
      await clock.sleep(fullJitter(attempt, BACKOFF, random))
    }
  }
}
