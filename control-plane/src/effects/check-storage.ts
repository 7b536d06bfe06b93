import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Actor, StorageCheckResult } from '@svc/shared/wire/admin/admin.api.ts'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import type { Effect, OperationRecord } from '../operations/operation.ts'
import { awaitRunning } from './await-running.ts'
import { queryDaemon } from './query-daemon.ts'
import type { EffectDeps } from './spec-effect.ts'
import { wakeFor } from './wake-for.ts'

/**
 * Requests the storage figures of a daemon through the relay. Throws daemon_offline and similar while it cannot be
 * reached.
 */
export type ReadStorage = (
  question: { orgId: string; actor: Actor },
  signal: AbortSignal,
) => Promise<{ usedBytes: number; freeBytes: number }>

type Deps = EffectDeps & { readStorage: ReadStorage; clock: Clock }

const ASK_WITHIN_MS = 10_000
// Shorter than a request waits, so that the caller learns that the daemon is offline and can retry.
const KEEP_ASKING_MS = 15_000

/** Queries the storage of a daemon through the relay, and wakes the daemon for it if it sleeps. */
export function createCheckStorage(deps: Deps): Effect {
  const { store, waiter, events, clock, readStorage, timeoutMs } = deps

  const ask = async ({ operationId, orgId, actor }: OperationRecord, signal: AbortSignal) => {
    const { usedBytes, freeBytes } = await readStorage({ orgId, actor }, signal)
    const storage = { usedBytes, freeBytes, capacityBytes: usedBytes + freeBytes }
    return { ok: true as const, operationId, orgId, storage, checkedAt: clock.now().toISOString() }
  }

  return {
    execute: async (execution) => {
      const { operation, signal } = execution
      const woke = await wakeFor(deps, execution)
      // At the deadline the query says what is the matter.
      await awaitRunning(waiter, { orgId: operation.orgId, timeoutMs, signal })
      const query = () => ask(operation, AbortSignal.any([signal, AbortSignal.timeout(ASK_WITHIN_MS)]))
      const forMs = Math.min(timeoutMs, KEEP_ASKING_MS)
      return { ...(await queryDaemon(query, { forMs, clock, signal })), woke } satisfies StorageCheckResult
    },

    // After a proven wake only the query is left. It changes nothing, so it can be repeated.
    findMarker: async (operation) => {
      const daemon = await store.find(managedDaemonName(operation.orgId))
      const { id, outcome } = daemon?.status.operation ?? {}
      if (id !== operation.operationId || outcome !== 'succeeded') return undefined
      const answer = await ask(operation, AbortSignal.timeout(ASK_WITHIN_MS)).catch(() => undefined)
      return answer && { outcome, answer: { ...answer, woke: true } satisfies StorageCheckResult }
    },

    conclude: async ({ operation: { orgId, operationId }, epoch, marker }) => {
      if (marker.outcome === 'succeeded')
        await events.insertFenced({ orgId, operationId, epoch, kind: 'storage_checked' })
    },
  }
}
