import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import {
  GROUP,
  initialStatus,
  KIND,
  managedDaemonName,
  ORG_ID_LABEL,
  VERSION,
  type ManagedDaemon,
  type ManagedDaemonSpec,
  type ManagedDaemonStatus,
} from '@svc/shared/wire/managed-daemon.ts'
import { StoreConflict, StoreRejection, type ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { resourceApi, ResourceApiError } from './managed-daemon-resource-api.ts'
import { followResources } from './managed-daemon-resource-watch.ts'

type Metadata = {
  name: string
  uid: string
  resourceVersion: string
  generation: number
  creationTimestamp: string
  deletionTimestamp?: string
}
type Resource = { metadata: Metadata; spec: ManagedDaemonSpec; status?: ManagedDaemonStatus }
type Page = { metadata: { resourceVersion: string; continue?: string }; items: Resource[] }

export type ResourceOptions = {
  namespace: string
  log: Log
  /** Kubeconfig file; without it the service account of the pod, or the user's own. */
  kubeconfig?: string
  clock?: Clock
  random?: () => number
}

const FIELD_MANAGER = 'svc-control-plane'
const FINALIZER = 'svcd.dev/children'
const PAGE = '500'

/**
 * The ManagedDaemon resources of a namespace as the control plane has them: it writes specs and reads statuses. A
 * status, and the end of a resource, are the operator's; the API would refuse them to us as this does.
 */
export function managedDaemonResource(options: ResourceOptions): ManagedDaemonStore & { close(): Promise<void> } {
  const { namespace, log, kubeconfig, clock = systemClock, random = Math.random } = options
  const api = resourceApi({ namespace, kubeconfig, clock })

  const find = async (name: string): Promise<ManagedDaemon | undefined> => {
    try {
      return toDaemon(await api.call<Resource>({ method: 'GET', name }))
    } catch (error) {
      if (error instanceof ResourceApiError && error.status === 404) return undefined
      throw error
    }
  }
  const write = async (name: string, call: Promise<Resource>): Promise<ManagedDaemon> => {
    try {
      return toDaemon(await call)
    } catch (error) {
      if (!(error instanceof ResourceApiError)) throw error
      if (error.status === 409 || error.status === 404) throw new StoreConflict(name)
      if ([400, 403, 422].includes(error.status)) throw new StoreRejection(error.message)
      throw error
    }
  }
  const list = async (signal?: AbortSignal) => {
    const daemons: ManagedDaemon[] = []
    for (let next: string | undefined; ;) {
      const page: Page = await api.call({ method: 'GET', query: { limit: PAGE, continue: next }, signal })
      daemons.push(...page.items.map(toDaemon))
      next = page.metadata.continue || undefined
      if (next === undefined) return { daemons, version: page.metadata.resourceVersion }
    }
  }

  return {
    find,
    list: async () => (await list()).daemons,
    async create(spec) {
      const name = managedDaemonName(spec.orgId)
      const metadata = { name, namespace, labels: { [ORG_ID_LABEL]: spec.orgId }, finalizers: [FINALIZER] }
      const body = { apiVersion: `${GROUP}/${VERSION}`, kind: KIND, metadata, spec }
      try {
        return await write(name, api.call({ method: 'POST', query: { fieldManager: FIELD_MANAGER }, body }))
      } catch (error) {
        const existing = error instanceof StoreConflict ? await find(name) : undefined
        if (existing === undefined) throw error
        return existing
      }
    },
    patchSpec(name, resourceVersion, spec) {
      const body = { metadata: { resourceVersion }, spec }
      return write(name, api.call({ method: 'PATCH', name, query: { fieldManager: FIELD_MANAGER }, body }))
    },
    putStatus: async () => Promise.reject(new StoreRejection('a status is written by the operator alone')),
    async remove(name) {
      await api.call({ method: 'DELETE', name }).catch((error: unknown) => {
        if (!(error instanceof ResourceApiError && error.status === 404)) throw error
      })
    },
    release: async () => Promise.reject(new StoreRejection('a resource is let go by the operator alone')),
    watch: (onEvent) => followResources<Resource>({ api, clock, log, random, list, toDaemon, onEvent }),
    close: () => api.close(),
  }
}

function toDaemon({ metadata, spec, status }: Resource): ManagedDaemon {
  const { name, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = metadata
  return {
    name,
    uid,
    resourceVersion,
    generation,
    createdAt: new Date(creationTimestamp).toISOString(),
    ...(deletionTimestamp && { deletedAt: new Date(deletionTimestamp).toISOString() }),
    spec,
    status: { ...initialStatus, ...status },
  }
}
