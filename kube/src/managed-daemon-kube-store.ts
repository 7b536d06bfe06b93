import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import {
  CHILDREN_FINALIZER,
  initialStatus,
  managedDaemonName,
  ORG_ID_LABEL,
  type ManagedDaemon,
  type ManagedDaemonSpec,
  type ManagedDaemonStatus,
} from '@svc/shared/wire/managed-daemon.ts'
import {
  StoreConflict,
  StoreNotReady,
  StoreRejection,
  type ManagedDaemonStore,
} from '@svc/shared/wire/managed-daemon-store.ts'
import { kinds, pathOf, type KubeObject } from './kinds.ts'
import type { KubeClient, KubeRequest } from './kube-client.ts'
import { absentOn404, isKubeError } from './kube-error.ts'
import { listAll } from './list-all.ts'
import { Reflector } from './reflector.ts'
import type { ReflectorTiming } from './reflector-options.ts'

type Resource = KubeObject & { spec: ManagedDaemonSpec; status?: ManagedDaemonStatus }

export type KubeStoreOptions = {
  client: KubeClient
  clock: Clock
  log: Log
  random: () => number
  namespace: string
  /** The writer in the managed fields of a resource; its status is written as `<fieldManager>-status`. */
  fieldManager: string
  timing?: Partial<ReflectorTiming>
}

/**
 * The ManagedDaemon resources of a namespace. The caller's roles decide which methods succeed: the control plane may
 * write specs, the operator statuses.
 */
export function managedDaemonKubeStore(options: KubeStoreOptions): ManagedDaemonStore & { missedEvents(): number } {
  const { client, namespace, fieldManager } = options
  const query = { fieldManager }
  const path = (name?: string) => pathOf(kinds.managedDaemon, namespace, name)
  const reflectors = new Set<Reflector<Resource>>()

  const write = async (name: string, request: Promise<Resource>): Promise<ManagedDaemon> => {
    try {
      return toDaemon(await request)
    } catch (error) {
      if (isKubeError(error, 409, 404)) throw new StoreConflict(name)
      if (isKubeError(error, 400, 422)) throw new StoreRejection(error.message)
      // Rights that are missing, a quota, or a namespace that is going: none of them is the fault of the resource.
      if (isKubeError(error, 403)) throw new StoreNotReady(error.message, { cause: error })
      throw error
    }
  }
  const read = (name: string) => absentOn404(client.request<Resource>({ method: 'GET', path: path(name) }))

  return {
    async find(name) {
      const resource = await read(name)
      return resource && toDaemon(resource)
    },
    async list() {
      const { items } = await listAll<Resource>(client, { kind: kinds.managedDaemon, namespace, trim: trimmed })
      return items.map(toDaemon)
    },
    async create(spec) {
      const name = managedDaemonName(spec.orgId)
      const { apiVersion, kind } = kinds.managedDaemon
      const metadata = { name, namespace, labels: { [ORG_ID_LABEL]: spec.orgId }, finalizers: [CHILDREN_FINALIZER] }
      const body = { apiVersion, kind, metadata, spec }
      const posted = client.request<Resource>({ method: 'POST', path: path(), query, body })
      try {
        return await write(name, withCollection(posted, namespace))
      } catch (error) {
        const existing = error instanceof StoreConflict ? await read(name) : undefined
        if (existing === undefined) throw error
        return toDaemon(existing)
      }
    },
    patchSpec(name, resourceVersion, patch) {
      const body = { metadata: { resourceVersion }, spec: patch }
      return write(name, client.request<Resource>({ method: 'PATCH', patch: 'merge', path: path(name), query, body }))
    },
    putStatus(name, resourceVersion, status) {
      const { apiVersion, kind } = kinds.managedDaemon
      const body = { apiVersion, kind, metadata: { name, namespace, resourceVersion }, status }
      const request: KubeRequest = {
        method: 'PATCH',
        patch: 'apply',
        path: `${path(name)}/status`,
        query: { fieldManager: `${fieldManager}-status`, force: 'true' },
        body,
      }
      return write(name, client.request<Resource>(request))
    },
    async remove(name, found) {
      const preconditions = found && { uid: found.uid, resourceVersion: found.resourceVersion }
      const body = preconditions && { apiVersion: 'v1', kind: 'DeleteOptions', preconditions }
      const removed = client.request({ method: 'DELETE', path: path(name), ...(body && { body }) })
      await absentOn404(removed).catch((error: unknown) => {
        if (found !== undefined && isKubeError(error, 409)) throw new StoreConflict(name)
        throw error
      })
    },
    async release(name, resourceVersion) {
      const resource = await read(name)
      if (resource?.metadata.deletionTimestamp === undefined) return
      if (resource.metadata.resourceVersion !== resourceVersion) return
      const { finalizers = [] } = resource.metadata
      const rest = finalizers.filter((finalizer) => finalizer !== CHILDREN_FINALIZER)
      const body = { metadata: { resourceVersion, finalizers: rest } }
      await write(name, client.request<Resource>({ method: 'PATCH', patch: 'merge', path: path(name), body })).catch(
        (error: unknown) => {
          if (!(error instanceof StoreConflict)) throw error // deleted or changed meanwhile: the next pass reads it again
        },
      )
    },
    watch(onEvent) {
      const reflector = new Reflector<Resource>({
        ...options,
        kind: kinds.managedDaemon,
        trim: trimmed,
        onEvent(event) {
          if (event.type === 'synced') onEvent(event)
          else if (event.type === 'upserted') onEvent({ type: 'upserted', daemon: toDaemon(event.object) })
          else onEvent({ type: 'removed', name: event.object.metadata.name, uid: event.object.metadata.uid ?? '' })
        },
      })
      reflectors.add(reflector)
      reflector.start()
      return () => {
        reflectors.delete(reflector)
        void reflector.stop()
      }
    },
    missedEvents: () => [...reflectors].reduce((sum, { missedEvents }) => sum + missedEvents, 0),
  }
}

// A 404 to a create is no conflict: there is nowhere to create it.
async function withCollection(posted: Promise<Resource>, namespace: string): Promise<Resource> {
  try {
    return await posted
  } catch (error) {
    if (!isKubeError(error, 404)) throw error
    const hint = `install the chart with crds.install, and look whether namespace ${namespace} exists`
    throw new StoreNotReady(`The definition of ManagedDaemon or the namespace is missing: ${hint}.`, { cause: error })
  }
}

// Managed fields are most of a resource's bytes, and nothing here uses them.
const trimmed = ({ metadata, spec, status }: Resource): Resource => {
  const { name, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = metadata
  return { metadata: { name, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp }, spec, status }
}

function toDaemon({ metadata, spec, status }: Resource): ManagedDaemon {
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    generation: metadata.generation ?? 0,
    createdAt: isoTime(metadata.creationTimestamp),
    ...(metadata.deletionTimestamp && { deletedAt: isoTime(metadata.deletionTimestamp) }),
    spec,
    status: { ...initialStatus, ...status },
  }
}

// The API writes times in whole seconds. Everywhere else they have milliseconds.
const isoTime = (time = '') => new Date(time).toISOString()
