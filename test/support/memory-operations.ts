import type { Clock } from '@svc/shared/kit/clock.ts'
import { initialStatus, managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { StoreConflict, StoreRejection, type ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { mergePatch } from '../../embedded/merge-patch.ts'
import { canonicalJson } from '../../control-plane/src/audit/canonical-json.ts'
import type { LifecycleEventsRepository } from '../../control-plane/src/operations/lifecycle-events.repository.ts'
import { FencedOff, type OperationRecord } from '../../control-plane/src/operations/operation.ts'
import type { OperationsRepository } from '../../control-plane/src/operations/operations.repository.ts'
import type { Interleaving } from './interleaving.ts'
import { someSpec } from './managed-daemon-specs.ts'

type Claim = { operationId: string; action: string; owner: string; executor: string; epoch: number; expiresAt: number }

/** The content of Postgres, the store and the runtime, shared by all processes of a run. */
export type Held = {
  operations: Map<string, OperationRecord>
  claims: Map<string, Claim>
  daemons: Map<string, ManagedDaemon>
  events: Set<string>
  liveExecutors: Set<string>
  epoch: number
  version: number
  now: number
  /** Every patch that took effect, in order. */
  patches: { orgId: string; operationId: string; epoch: number }[]
}

export function emptyHeld(): Held {
  return {
    operations: new Map(),
    claims: new Map(),
    daemons: new Map(),
    events: new Set(),
    liveExecutors: new Set(),
    epoch: 0,
    version: 0,
    now: 0,
    patches: [],
  }
}

/** A process: once dead, it sends no further statement and receives no result. */
export type Life = { executor: string; dead: boolean }

const active = (record: OperationRecord) => record.state === 'requested' || record.state === 'executing'

/**
 * Repositories and store of one process over the shared content. A statement waits for its turn, takes effect at once,
 * and waits again before its result is delivered, so a process can die before, between or after.
 */
export function memoryProcess(held: Held, life: Life, order: Interleaving) {
  const statement = async <T>(act: () => T): Promise<T> => {
    const alive = async () => {
      await order.point()
      if (life.dead) await new Promise(() => {})
    }
    await alive()
    let result: { value: T } | { error: unknown }
    try {
      result = { value: act() }
    } catch (error) {
      result = { error }
    }
    await alive()
    if ('error' in result) throw result.error
    return structuredClone(result.value)
  }

  const put = (record: OperationRecord, change: object) =>
    held.operations.set(record.operationId, { ...record, ...change } as OperationRecord)
  const isBusy = (orgId: string) =>
    [...held.operations.values()].some((other) => other.orgId === orgId && active(other))

  const repository: OperationsRepository = {
    find: (operationId) => statement(() => held.operations.get(operationId)),
    register: ({ input, ...request }) =>
      statement(() => {
        if (held.operations.has(request.operationId) || isBusy(request.orgId)) return undefined
        const fresh = { attempts: 0, epoch: undefined, requestedAt: new Date(held.now), finishedAt: undefined }
        const record = { ...request, inputText: canonicalJson(input), ...fresh, state: 'requested' } as OperationRecord
        held.operations.set(record.operationId, record)
        return record
      }),
    reopen: ({ operationId }) =>
      statement(() => {
        const record = held.operations.get(operationId)
        if (record?.state !== 'retryable' || isBusy(record.orgId)) return false
        put(record, { state: 'requested' })
        return true
      }),
    claim: ({ operationId }, { owner, executor }) =>
      statement(() => {
        const record = held.operations.get(operationId)
        if (record?.state !== 'requested' || held.claims.has(record.orgId)) return undefined
        const epoch = ++held.epoch
        const { action, orgId } = record
        held.claims.set(orgId, { operationId, action, owner, executor, epoch, expiresAt: held.now + 600_000 })
        put(record, { state: 'executing', epoch, attempts: record.attempts + 1 })
        return { record: held.operations.get(operationId)!, epoch, previousEpoch: record.epoch }
      }),
    findClaim: (owner) => statement(() => [...held.claims.values()].find((claim) => claim.owner === owner)),
    recordOutcome: ({ operationId }, epoch, outcome) =>
      statement(() => {
        const record = held.operations.get(operationId)
        const claim = record && held.claims.get(record.orgId)
        if (record?.state !== 'executing' || claim?.operationId !== operationId || claim.epoch !== epoch) return false
        held.claims.delete(record.orgId)
        put(record, outcome)
        return true
      }),
    raiseEpochs: (above) => statement(() => void (held.epoch = Math.max(held.epoch, above))),
    recover: ({ orgId, action, expectedOwner }) =>
      statement(() => {
        const claim = held.claims.get(orgId)
        if (claim?.owner !== expectedOwner || claim.action !== action || claim.expiresAt >= held.now) return undefined
        if (held.liveExecutors.has(claim.executor)) return undefined
        held.claims.delete(orgId)
        put(held.operations.get(claim.operationId)!, { state: 'retryable', failure: undefined })
        return claim.operationId
      }),
  }

  const store: Pick<ManagedDaemonStore, 'find' | 'patchSpec'> = {
    find: (name) => statement(() => held.daemons.get(name)),
    patchSpec: (name, resourceVersion, patch) =>
      statement(() => {
        const daemon = held.daemons.get(name)
        if (daemon?.resourceVersion !== resourceVersion) throw new StoreConflict(name)
        const spec = mergePatch(daemon.spec, patch) as ManagedDaemon['spec']
        if ((spec.operation?.epoch ?? 0) < (daemon.spec.operation?.epoch ?? 0)) throw new StoreRejection('epoch falls')
        const patched = { ...daemon, spec, resourceVersion: String(++held.version), generation: daemon.generation + 1 }
        held.daemons.set(name, patched)
        held.patches.push({ orgId: spec.orgId, operationId: spec.operation!.id, epoch: spec.operation!.epoch })
        return patched
      }),
  }

  const events: Pick<LifecycleEventsRepository, 'insertFenced'> = {
    insertFenced: ({ operationId, orgId, epoch, kind }) =>
      statement(() => {
        const claim = held.claims.get(orgId)
        if (claim?.operationId !== operationId || claim.epoch !== epoch) throw new FencedOff(operationId, epoch)
        held.events.add(`${operationId} ${kind}`)
      }),
  }
  return { repository, store, events }
}

/** The clock of one process: time passes only while the process sleeps. */
export function drivenClock(held: Held, life: Life, order: Interleaving): Clock {
  let elapsed = 0
  return {
    now: () => new Date(held.now),
    monotonic: () => elapsed,
    sleep: async (ms) => {
      await order.point()
      elapsed += ms
      if (life.dead) await new Promise(() => {})
    },
  }
}

/** Puts a running daemon of an organization into the store. */
export function addDaemon(held: Held, orgId: string): void {
  const name = managedDaemonName(orgId)
  const status = { ...initialStatus, observedState: 'running' as const, image: 'old' }
  held.daemons.set(name, {
    name,
    uid: name,
    resourceVersion: String(++held.version),
    generation: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
    spec: someSpec({ orgId }),
    status,
  })
}

/** One pass of the operator: it brings the daemon to its spec and marks the operation. */
export function reconcileOnce(held: Held, orgId: string, isBad: (image: string) => boolean): void {
  const daemon = held.daemons.get(managedDaemonName(orgId))
  const operation = daemon?.spec.operation
  if (!daemon || !operation || daemon.status.operation?.id === operation.id) return
  const bad = isBad(daemon.spec.image)
  const marker = bad
    ? { id: operation.id, outcome: 'failed' as const, reason: 'CrashLoop' }
    : { id: operation.id, outcome: 'succeeded' as const }
  const image = bad ? daemon.status.image : daemon.spec.image
  const status = { ...daemon.status, observedState: 'running' as const, image, operation: marker }
  held.daemons.set(daemon.name, { ...daemon, status, resourceVersion: String(++held.version) })
}
