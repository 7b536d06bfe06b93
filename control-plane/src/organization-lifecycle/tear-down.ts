import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Db } from '../db/database.ts'
import type { LifecycleEventsRepository } from '../operations/lifecycle-events.repository.ts'
import type { FencedTransaction } from '../operations/fenced-transaction.repository.ts'
import type { Effect, OperationRecord } from '../operations/operation.ts'

export type TearDownDeps = {
  fencedTransaction: FencedTransaction
  findTombstone(orgId: string): Promise<{ operation_id: string } | undefined>
  events: LifecycleEventsRepository
  clock: Clock
  timeoutMs: number
  /** Hides the organization and marks its daemon, in this transaction; repeating it changes nothing. */
  beginDeletion: (trx: Db, deletion: { orgId: string; operationId: string; requestedBy: string }) => Promise<void>
  /** Wakes the settling of managed daemons, which tears the infrastructure down and stores the tombstone. */
  wakeTeardown: (orgId: string) => Promise<void>
}

const LOOK_AGAIN_MS = 250

/**
 * Deletes an organization: starts the teardown under its claim and waits for its end. The resource with the runtime
 * marker is deleted too, so the marker is the tombstone, which is stored when everything else is gone.
 */
export function createTearDown(deps: TearDownDeps): Effect {
  const { fencedTransaction, findTombstone, events, clock, timeoutMs, beginDeletion, wakeTeardown } = deps
  const answerOf = async ({ operationId, orgId }: OperationRecord) => {
    const stone = await findTombstone(orgId)
    return stone?.operation_id === operationId ? { ok: true as const, operationId, orgId } : undefined
  }

  return {
    execute: async ({ operation, epoch, signal }) => {
      const { orgId, operationId, actor } = operation
      await events.insertFenced({ orgId, kind: 'deletion_started', operationId, epoch })
      const deletion = { orgId, operationId, requestedBy: actor.id }
      await fencedTransaction({ operationId, epoch }, (trx) => beginDeletion(trx, deletion))
      await wakeTeardown(orgId)

      const deadline = clock.monotonic() + timeoutMs
      for (;;) {
        const answer = await answerOf(operation)
        if (answer !== undefined) return answer
        if (clock.monotonic() > deadline) throw fail('operation_retryable', { reason: 'NotYetGone' })
        await clock.sleep(LOOK_AGAIN_MS, signal)
      }
    },

    findMarker: async (operation) => {
      const answer = await answerOf(operation)
      return answer && { outcome: 'succeeded', answer }
    },

    conclude: async ({ operation: { orgId, operationId }, epoch, marker }) => {
      if (marker.outcome === 'succeeded') await events.insertFenced({ orgId, operationId, epoch, kind: 'deleted' })
    },
  }
}
