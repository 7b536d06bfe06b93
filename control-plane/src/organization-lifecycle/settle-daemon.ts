import type { Log } from '@svc/shared/kit/log.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { managedDaemonName, type ManagedDaemon, type ManagedDaemonSpec } from '@svc/shared/wire/managed-daemon.ts'
import {
  StoreConflict,
  StoreNotReady,
  StoreRejection,
  type ManagedDaemonStore,
  type SpecPatch,
} from '@svc/shared/wire/managed-daemon-store.ts'
import type { LifecycleEvent } from '@svc/shared/wire/admin/admin.api.ts'
import type { JobHandler } from '../jobs/jobs.ts'
import { decideDaemonStep, type DaemonRecord, type DaemonStep } from './decide-daemon-step.ts'
import { growthPatch, type GrowthSettings } from '../managed-daemons/auto-grow.ts'
import type { ManagedDaemonsRepository } from '../managed-daemons/managed-daemons.repository.ts'
import type { ManagedDaemonRow } from '../db/tables/managed-daemons.tables.ts'

export type SettleDeps = {
  store: ManagedDaemonStore
  daemons: ManagedDaemonsRepository
  /** How the volume of an organization grows by itself. */
  growthOf(orgId: string): Promise<GrowthSettings>
  /** Address that the daemon of an organization dials. */
  relayUrlOf(orgId: string): string
  /** The spec of a new daemon. */
  describe(row: ManagedDaemonRow): Promise<ManagedDaemonSpec>
  /** The spec of a resource that is created to be removed with the volume of its predecessor. */
  describeToRemove(row: ManagedDaemonRow): Promise<ManagedDaemonSpec>
  /** Generation of the newest key that is stored; 0 if there is none. */
  findGeneration(orgId: string): Promise<number>
  /** Stores the hash of a reported key. Repeating it changes nothing. */
  acceptKey(key: { orgId: string; generation: number; hash: string }): Promise<unknown>
  recordEvent(orgId: string, kind: LifecycleEvent['kind'], detail?: { image?: string }): Promise<void>
  /** Deletes the rest of an organization whose infrastructure is gone. */
  finishDeletion(orgId: string): Promise<void>
  log: Log
}

const LOOK_AGAIN_MS = 5_000
const STEPS_AT_MOST = 20

/**
 * Takes all steps for a hosted daemon that are possible now: create it, accept its key, record that it runs, or tear it
 * down. Decides again after each step, so the next wake continues after a kill between any two steps.
 */
export function createSettleDaemon(deps: SettleDeps): JobHandler {
  const { store, daemons } = deps

  return async (orgId) => {
    for (let count = 0; count < STEPS_AT_MOST; count += 1) {
      const row = await daemons.find(orgId)
      if (row === undefined) return
      const resource = await store.find(managedDaemonName(orgId))
      const keyGeneration = await deps.findGeneration(orgId)
      const step = decideDaemonStep(toRecord(row, keyGeneration), resource)

      if (step.kind === 'done') {
        if (resource !== undefined && (await applySettings(deps, resource)) === 'conflict') continue
        if (row.last_problem !== null) await daemons.updateProblem(orgId, null)
        return
      }
      const isGone = step.kind === 'lost' || (step.kind === 'distrust' && resource?.deletedAt !== undefined)
      // A reinstallation has removed it: that is no loss, and the next lease follows.
      if (isGone && (await daemons.isReinstalling(orgId))) return { againInMs: LOOK_AGAIN_MS }
      if (step.kind === 'lost') return lost(deps, orgId)
      if (step.kind === 'wait') {
        // It may wait for a relay that nobody reaches at the address of its creation.
        const isUsed = resource !== undefined && resource.deletedAt === undefined
        if (isUsed && (await applySettings(deps, resource)) === 'conflict') continue
        return { againInMs: LOOK_AGAIN_MS }
      }
      if (step.kind === 'distrust') {
        return refused(deps, { orgId, reason: step.reason })
      }
      try {
        await take(deps, { row, resource, step })
      } catch (error) {
        if (error instanceof StoreRejection || error instanceof StoreNotReady)
          return refused(deps, { orgId, reason: error.message })
        // For example, the registry could not be reached. Record it; the sweep retries.
        if (isFailure(error)) return refused(deps, { orgId, reason: error.message })
        if (!(error instanceof StoreConflict)) throw error // changed by another writer: decide again
      }
    }
    return { againInMs: LOOK_AGAIN_MS }
  }
}

const toRecord = (row: ManagedDaemonRow, keyGeneration: number): DaemonRecord => ({
  orgId: row.organization_id,
  state: row.state,
  uid: row.resource_uid,
  keyGeneration,
  hasRun: row.activated_at !== null,
  removalBegun: row.removal_begun,
})

/** Applies the settings that reach existing daemons: they may have changed since the resource was created. */
async function applySettings(
  { store, growthOf, relayUrlOf }: SettleDeps,
  { name, resourceVersion, spec }: ManagedDaemon,
): Promise<'done' | 'conflict'> {
  const autoGrow = growthPatch(spec.storage, await growthOf(spec.orgId))
  const url = relayUrlOf(spec.orgId)
  const patch: SpecPatch = {
    ...(autoGrow !== undefined && { storage: { autoGrow } }),
    ...(url !== spec.relay.url && { relay: { url } }),
  }
  if (Object.keys(patch).length === 0) return 'done'
  try {
    await store.patchSpec(name, resourceVersion, patch)
    return 'done'
  } catch (error) {
    if (error instanceof StoreConflict) return 'conflict'
    throw error
  }
}

/** Records once that the resource is gone; a system admin recreates it by an operation of its own. */
async function lost({ daemons, recordEvent, log }: SettleDeps, orgId: string): Promise<void> {
  const reason = 'The resource is gone though nobody deleted it here. Look at the cluster, then reinstall the daemon.'
  if (!(await daemons.updateProblem(orgId, reason))) return
  log.error({ orgId, reason }, 'a managed daemon is lost')
  await recordEvent(orgId, 'resource_lost')
}

/** Records why provisioning does not continue. Somebody has to look first; the sweep still retries. */
async function refused(
  { daemons, log }: SettleDeps,
  { orgId, reason }: { orgId: string; reason: string },
): Promise<void> {
  log.error({ orgId, reason }, 'a managed daemon is not settled')
  await daemons.updateProblem(orgId, reason)
}

type Position = { row: ManagedDaemonRow; resource: ManagedDaemon | undefined; step: DaemonStep }

async function take(deps: SettleDeps, { row, resource, step }: Position): Promise<void> {
  const { store, daemons, acceptKey, recordEvent, log } = deps
  const orgId = row.organization_id
  log.info({ orgId, step: step.kind }, 'managed daemon')

  if (step.kind === 'create') {
    const { uid } = await store.create(await deps.describe(row))
    await daemons.updateUid(orgId, uid)
  }
  if (step.kind === 'record_uid') await daemons.updateUid(orgId, step.uid)
  if (step.kind === 'accept_key' && resource !== undefined) {
    const { generation, hash } = step
    await acceptKey({ orgId, generation, hash })
    const { name, resourceVersion, spec } = resource
    if (generation <= spec.relay.acceptedGeneration) return // the resource says so already
    const keyGeneration = Math.max(generation, spec.relay.keyGeneration)
    await store.patchSpec(name, resourceVersion, { relay: { keyGeneration, acceptedGeneration: generation } })
  }
  if (step.kind === 'activate' && (await daemons.updateActive(orgId)))
    await recordEvent(orgId, 'provisioned', { image: resource?.status.image ?? row.image })
  if (step.kind === 'create_to_remove') await store.create(await deps.describeToRemove(row))
  if (step.kind === 'remove' && resource !== undefined) await remove(deps, resource)
  if (step.kind === 'finish_deletion') await deps.finishDeletion(orgId)
}

/** Deletes the volume with the daemon: nobody is left who could read it. */
async function remove({ store, daemons }: SettleDeps, { name, resourceVersion, spec }: ManagedDaemon): Promise<void> {
  if (spec.deletionPolicy !== 'delete') await store.patchSpec(name, resourceVersion, { deletionPolicy: 'delete' })
  await daemons.updateRemovalBegun(spec.orgId)
  await store.remove(name)
}
