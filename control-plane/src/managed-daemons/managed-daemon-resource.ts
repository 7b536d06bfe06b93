import { createKubeClient } from '@svc/kube/src/kube-client.ts'
import { loadKubeConfig } from '@svc/kube/src/kube-config.ts'
import { managedDaemonKubeStore } from '@svc/kube/src/managed-daemon-kube-store.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { StoreRejection, type ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { reportUnavailable } from './report-unavailable.ts'

export type ResourceOptions = {
  namespace: string
  log: Log
  /** Kubeconfig file; without it the service account of the pod, or the user's own. */
  kubeconfig?: string
}

/**
 * The ManagedDaemon resources of a namespace for the control plane: it writes specs and reads statuses. Status and
 * deletion belong to the operator; those methods are refused here as the API would refuse them.
 */
export function managedDaemonResource(options: ResourceOptions): ManagedDaemonStore & { close(): Promise<void> } {
  const { namespace, log, kubeconfig } = options
  const access = loadKubeConfig(kubeconfig)
  const client = createKubeClient({ config: access, clock: systemClock })
  const store = managedDaemonKubeStore({
    client,
    clock: systemClock,
    log,
    random: Math.random,
    namespace,
    fieldManager: 'svc-control-plane',
  })

  return {
    ...reportUnavailable(store, log),
    putStatus: async () => Promise.reject(new StoreRejection('only the operator writes a status')),
    release: async () => Promise.reject(new StoreRejection('only the operator releases a resource')),
    close: access.close,
  }
}
