import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { decideOperation, retryableFor } from './decide-operation.ts'
import { FencedOff, type Effects, type Marker, type OperationRecord, type OperationRequest } from './operation.ts'
import type { OperationChanges } from './operation-changes.ts'
import type { OperationsRepository } from './operations.repository.ts'

/** Returns the recorded success as text, byte for byte as the first time, or throws a failure of the catalogue. */
export type RunOperation = (request: OperationRequest, options?: RunOptions) => Promise<string>
export type RunOptions = {
  /** How long to wait for the outcome before responding operation_in_progress. */
  waitMs?: number
  /** Ends the wait early, with the same response. The operation itself continues. */
  signal?: AbortSignal
  /** Throws when the operation may not start. Not called for a known operation, which was admitted before. */
  admit?: () => Promise<void>
}

export type RunDeps = {
  repository: OperationsRepository
  effects: Effects
  reconcile: (record: OperationRecord, marker: Marker) => Promise<void>
  /** Wakes an executor. A wake may be lost; a sweep wakes again. */
  wake: (operationId: string) => Promise<void>
  changes: OperationChanges
  clock: Clock
  log: Log
}

const WAIT_MS = 25_000
const LOOK_AGAIN_MS = 500
const HINT_AGAIN_MS = 5_000
const RETRY_AFTER_SECONDS = 5

/**
 * Runs an audited operation: decides by the record, opens a new or retryable operation, wakes an executor and waits a
 * while for the outcome. Repeating the same request never executes anything twice.
 */
export function createRunOperation({
  repository,
  effects,
  reconcile,
  wake,
  changes,
  clock,
  log,
}: RunDeps): RunOperation {
  const hint = (operationId: string) =>
    wake(operationId).catch((error: unknown) => log.warn({ err: error, operationId }, 'wake-up lost; a sweep follows'))

  /** What has the marker may be away, a bucket for example. That says nothing about the operation, which goes on. */
  const markerOf = async (record: OperationRecord | undefined) => {
    if (record?.state !== 'executing') return undefined
    try {
      return await effects[record.action]?.findMarker(record)
    } catch (error) {
      log.warn({ err: error, operationId: record.operationId }, 'marker not read')
      return undefined
    }
  }

  /** Opens the operation if this request may. False: another request was faster, so read the record again. */
  const open = async (request: OperationRequest, record: OperationRecord | undefined): Promise<boolean> => {
    const opened = record === undefined ? await repository.register(request) : await repository.reopen(record)
    if (opened) return true

    const now = await repository.find(request.operationId)
    // The record is unchanged, so another operation was in the way.
    if (now?.state === record?.state) throw fail('organization_busy')
    return false
  }

  return async (request, { waitMs = WAIT_MS, signal, admit } = {}) => {
    const { operationId } = request
    const deadline = clock.monotonic() + waitMs
    let waited = false
    let hintedAt: number | undefined

    for (;;) {
      const record = await repository.find(operationId)
      const marker = await markerOf(record)
      const decision = decideOperation({ request, record, marker })

      switch (decision.kind) {
        case 'return':
          return decision.answer
        case 'refuse':
          throw decision.failure
        case 'reconcile':
          await reconcile(record!, decision.marker).catch(ignoreFenced)
          continue
        case 'reopen':
          // This request has seen the failed attempt: the caller decides about the next one.
          if (waited) throw retryableFor(decision.failure)
          if (await open(request, record)) waited = true
          else continue
          break
        case 'register':
          await admit?.()
          if (await open(request, record)) waited = true
          else continue
          break
        case 'wait':
          waited = true
      }

      const now = clock.monotonic()
      const left = deadline - now
      if (record?.state !== 'executing' && now - (hintedAt ?? -Infinity) >= HINT_AGAIN_MS) {
        hintedAt = now
        await hint(operationId)
      }
      if (left <= 0 || signal?.aborted)
        throw fail('operation_in_progress', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS })
      await changes.next(operationId, Math.min(left, LOOK_AGAIN_MS), signal)
    }
  }
}

function ignoreFenced(error: unknown): void {
  if (!(error instanceof FencedOff)) throw error
}
