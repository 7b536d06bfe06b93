// The surroundings of the operator: the nodes that run its pods, and the control plane's part of a relay key.
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { StoreConflict } from '@svc/shared/wire/managed-daemon-store.ts'
import { createKubeClient } from '@svc/kube/src/kube-client.ts'
import { loadKubeConfig } from '@svc/kube/src/kube-config.ts'
import { managedDaemonKubeStore } from '@svc/kube/src/managed-daemon-kube-store.ts'
import { answerParent, partOptions } from '../part.ts'
import { startPodSimulator } from './pod-simulator.ts'

export type WorldOptions = { kubeconfig: string; namespace: string; probePort: number }

const { kubeconfig, namespace, probePort } = partOptions<WorldOptions>()
const log = createLog({ service: 'world', level: 'error' })
const client = createKubeClient({ config: loadKubeConfig(kubeconfig), clock: systemClock })
const store = managedDaemonKubeStore({
  client,
  clock: systemClock,
  log,
  random: Math.random,
  namespace,
  fieldManager: 'svc-bench',
})

// What the control plane does once it has stored the hash of a key: one patch of the spec.
const stopAccepting = store.watch((event) => {
  if (event.type !== 'upserted') return
  const { name, resourceVersion, spec, status } = event.daemon
  const next = status.relay?.keys.at(-1)
  if (next === undefined || next.generation <= spec.relay.acceptedGeneration) return
  store.patchSpec(name, resourceVersion, { relay: { acceptedGeneration: next.generation } }).catch((error: unknown) => {
    if (!(error instanceof StoreConflict)) log.error({ err: error }, 'a key was not accepted')
  })
})
const stopPods = startPodSimulator({ client, log, namespace, probePort })

answerParent({ cpuMs: () => process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000 }, async () => {
  stopAccepting()
  await stopPods()
})
