import { fail } from '@svc/shared/wire/errors.ts'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import type { Db } from '../db/database.ts'
import { FencedOff, type Effect, type OperationRecord } from '../operations/operation.ts'
import type { GrantsRepository } from './grants.repository.ts'
import { patchDaemon } from './patch-daemon.ts'
import type { EffectDeps } from './roll-image.ts'

type Deps = EffectDeps & {
  grants: GrantsRepository
  /** Tells the settler of managed daemons, in this transaction, that the daemon of this organization is to go. */
  beginTearDown: (trx: Db, orgId: string) => Promise<unknown>
}

const answerOf = ({ operationId, orgId }: OperationRecord) => ({ ok: true as const, operationId, orgId })

/**
 * Takes the hosted infrastructure of an organization down. The resource that held the runtime marker goes with it, so a
 * tombstone is laid first: with it, absence proves that this operation is done. The volume goes too, unless `volume` of
 * the input is `retain`.
 */
export function tearDown(deps: Deps): Effect {
  const { store, waiter, events, grants, beginTearDown, timeoutMs } = deps

  return {
    execute: async (execution) => {
      const { operation, epoch, input, signal } = execution
      const { orgId, operationId } = operation
      const name = managedDaemonName(orgId)
      const daemon = await store.find(name)
      const held = await grants.insertTombstone({ orgId, operationId, epoch, uid: daemon?.uid }, beginTearDown)
      if (!held) throw new FencedOff(operationId, epoch)

      if (daemon !== undefined && daemon.deletedAt === undefined) {
        await patchDaemon(deps, {
          execution,
          change: () => ({ deletionPolicy: input.volume === 'retain' ? 'retain' : 'delete' }),
          fence: () => events.insertFenced({ orgId, kind: 'deletion_started', operationId, epoch }),
        })
        await store.remove(name)
      }
      const judge = (found: object | undefined) => (found === undefined ? 'gone' : undefined)
      const gone = await waiter.until({ name, judge, timeoutMs, signal })
      if (gone === undefined) throw fail('operation_retryable', { reason: 'NotYetGone' })
      return answerOf(operation)
    },

    findMarker: async (operation) => {
      const stone = await grants.findTombstone(operation.orgId)
      if (stone?.operation_id !== operation.operationId) return undefined
      if ((await store.find(managedDaemonName(operation.orgId))) !== undefined) return undefined
      return { outcome: 'succeeded', answer: answerOf(operation) }
    },

    conclude: async ({ operation: { orgId, operationId }, epoch, marker }) => {
      if (marker.outcome === 'succeeded') await events.insertFenced({ orgId, operationId, epoch, kind: 'deleted' })
    },
  }
}
