import { managedDaemonName, type ManagedDaemon, type ObservedState } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { ManagedDaemonsRepository } from './managed-daemons.repository.ts'

/**
 * The state of an organization's daemon for a caller who wants to reach it; `failed` means that waiting does not help.
 */
export type HostedState = 'not_hosted' | 'running' | 'sleeping' | 'starting' | 'failed'

/** What is known of the daemon of an organization. The resource is there for every daemon that sleeps. */
export type Hosted = { state: HostedState; resource?: ManagedDaemon | undefined }

type Deps = { store: ManagedDaemonStore | undefined; daemons: Pick<ManagedDaemonsRepository, 'find'> }

/** Reads the state of a hosted daemon. An organization without a row runs its own daemon. */
export function createFindHosted({ store, daemons }: Deps) {
  return async (orgId: string): Promise<Hosted> => {
    const row = await daemons.find(orgId)
    if (row === undefined) return { state: 'not_hosted' }
    if (store === undefined || row.state === 'deleting') return { state: 'failed' }
    const resource = await store.find(managedDaemonName(orgId))
    if (resource === undefined && row.resource_uid !== null) return { state: 'failed' }
    return { state: toHostedState(resource), resource }
  }
}

/**
 * The observed state of a hosted daemon, for lists: `failed` when its resource is lost, `pending` before it is created.
 * Undefined for an organization that has no hosted daemon yet.
 */
export function createFindObserved({ store, daemons }: Deps) {
  return async (orgId: string): Promise<ObservedState | undefined> => {
    const row = await daemons.find(orgId)
    if (row === undefined) return undefined
    const resource = await store?.find(managedDaemonName(orgId))
    return resource?.status.observedState ?? (row.resource_uid === null ? 'pending' : 'failed')
  }
}

/** The state that a resource means to a waiting caller; a missing resource is starting. */
export function toHostedState(daemon: Pick<ManagedDaemon, 'spec' | 'status' | 'deletedAt'> | undefined): HostedState {
  if (daemon === undefined) return 'starting'
  if (daemon.deletedAt !== undefined || daemon.status.observedState === 'deleting') return 'failed'
  if (daemon.status.observedState === 'failed') return 'failed'
  if (daemon.spec.desiredState === 'sleeping') return 'sleeping'
  return daemon.status.observedState === 'running' ? 'running' : 'starting'
}
