import type { z } from 'zod'
import type { HostedStatus } from '@svc/shared/wire/control-plane.api.ts'
import { managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'

type Status = z.infer<typeof HostedStatus>['status']
type Deps = { store: ManagedDaemonStore | undefined; isConnected(orgId: string): Promise<boolean> }

/** Reads how a hosted daemon stands. Reading never wakes it. */
export function readHostedStatus({ store, isConnected }: Deps) {
  return async (orgId: string): Promise<Status> => {
    const [daemon, connected] = await Promise.all([store?.find(managedDaemonName(orgId)), isConnected(orgId)])
    return toStatus(daemon, connected)
  }
}

/** The resource as members may see it: nothing of the provider, no keys. */
function toStatus(daemon: ManagedDaemon | undefined, connected: boolean): Status {
  if (daemon === undefined)
    return { desiredState: 'running', observedState: 'pending', conditions: [], relay: { connected } }

  const { spec, status, deletedAt } = daemon
  return {
    desiredState: spec.desiredState,
    observedState: deletedAt === undefined ? status.observedState : 'deleting',
    image: status.image ?? spec.image,
    version: status.version,
    conditions: status.conditions,
    relay: { connected },
    storage: status.storage,
    operation: status.operation,
  }
}
