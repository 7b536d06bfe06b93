import { randomUUID } from 'node:crypto'
import type { BackoffLimits } from '@svc/shared/kit/backoff.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { OperatorConfig } from './config.ts'
import { createKubeClient, type KubeCall } from '@svc/kube/src/kube-client.ts'
import { createLease, type LeaseTiming } from './reconciler/lease.ts'
import type { KubeAccess } from '@svc/kube/src/kube-config.ts'
import { managedDaemonKubeStore } from '@svc/kube/src/managed-daemon-kube-store.ts'
import type { ReflectorTiming } from '@svc/kube/src/reflector-options.ts'
import { FIELD_MANAGER } from './managed-daemon/names.ts'
import type { PlanLimits } from './managed-daemon/plan-limits.ts'
import { createReconciler, type Reconciler } from './reconciler/reconciler.ts'
import { createAllowedImage } from './runtime/kubernetes/allowed-image.ts'
import { kubernetesRuntime } from './runtime/kubernetes/kubernetes.ts'
import { createStatusClient } from './runtime/kubernetes/status-client.ts'

export type OperatorDeps = {
  config: Pick<OperatorConfig, 'daemonNamespace' | 'systemNamespace' | 'images' | 'children' | 'lease' | 'workers'>
  kubeConfig: KubeAccess
  clock: Clock
  log: Log
  random: () => number
  limits?: PlanLimits
  backoff?: BackoffLimits
  leaseTiming?: LeaseTiming
  watchTiming?: Partial<ReflectorTiming>
  onCall?: (call: KubeCall) => void
}

export type Operator = {
  /** Leads whenever the lease is held, until the signal aborts; after losing the lease it starts over. */
  run(stop: AbortSignal): Promise<void>
  /** `synced`: every resource has been reconciled once since this process leads. */
  state(): { leading: boolean; synced: boolean; missedEvents: number; reconciler: ReturnType<Reconciler['metrics']> }
  /** Counts the daemons by their statuses; undefined while another process leads or this one has not synced. */
  census(): ReturnType<Reconciler['census']> | undefined
}

const nothing = { reconciles: 0, failures: 0, conflicts: 0, statusWrites: 0, queueDepth: 0, waitedMs: [] }

/** The operator: store, runtime and reconciler over one API, run by the holder of the lease. */
export function createOperator(deps: OperatorDeps): Operator {
  const { config, kubeConfig, clock, log, random, limits, backoff, leaseTiming, watchTiming, onCall } = deps
  const namespace = config.daemonNamespace
  let current: { reconciler: Reconciler; missed: () => number; synced: () => boolean } | undefined

  const lead = async (held: AbortSignal) => {
    // The lease fences writes: a write in flight is aborted when the lease is lost.
    const client = createKubeClient({ config: kubeConfig, clock, fence: held, onCall })
    const common = { client, clock, log, random, namespace, timing: watchTiming }
    const store = managedDaemonKubeStore({ ...common, fieldManager: FIELD_MANAGER })
    const asking = createStatusClient()
    const checkImage = createAllowedImage(config.images)
    const runtime = kubernetesRuntime({ ...common, settings: config.children, statusClient: asking, checkImage })
    const reconciler = createReconciler({
      store,
      runtime,
      clock,
      log,
      random,
      limits,
      backoff,
      workers: config.workers,
    })
    current = {
      reconciler,
      missed: () => store.missedEvents() + runtime.missedEvents(),
      synced: () => runtime.hasSynced() && reconciler.hasSynced(),
    }

    runtime.start()
    reconciler.start()
    await new Promise((resolve) => held.addEventListener('abort', resolve, { once: true }))
    await reconciler.stop()
    await runtime.stop()
    await asking.close()
    current = undefined
  }

  return {
    async run(stop) {
      const { name, identity } = config.lease
      const lease = createLease({
        client: createKubeClient({ config: kubeConfig, clock, onCall }),
        clock,
        log,
        namespace: config.systemNamespace,
        name,
        identity: `${identity}_${randomUUID()}`,
        timing: leaseTiming,
      })
      while (!stop.aborted) await lease.run(lead, stop)
    },
    state: () => ({
      leading: current !== undefined,
      synced: current?.synced() ?? false,
      missedEvents: current?.missed() ?? 0,
      reconciler: current?.reconciler.metrics() ?? nothing,
    }),
    census: () => (current?.synced() ? current.reconciler.census() : undefined),
  }
}
