import { systemClock } from '@svc/shared/kit/clock.ts'
import { kinds, pathOf, type KubeObject } from '@svc/kube/src/kinds.ts'
import { applyObject, deleteObject } from './cluster-access.ts'
import type { Cluster, ClusterPod, Hosted } from './cluster.ts'
import { DAEMONS } from './helm-release.ts'
import { until } from './until.ts'

type PodSpec = {
  containers: { name: string; env?: { name: string }[]; volumeMounts?: { name: string }[] }[]
  volumes?: { name: string; persistentVolumeClaim?: { claimName: string } }[]
  [field: string]: unknown
}
type Named = KubeObject & { apiVersion: string; kind: string }

// The admission policy lets a pod mount only the volume that has its own name.
const NAME = 'beside'
const CLAIM = `${NAME}-home`
const LABELS = { 'app.kubernetes.io/instance': NAME }
const RELAY = new Set(['SVC_RELAY_URL', 'SVC_RELAY_TOKEN_FILE'])
const PROBE_PORT = 7383

/**
 * Measures the time that Kubernetes itself needs to start a pod: a pod with the daemon's image and its own volume of
 * the same class, without a relay, from its creation until it is ready.
 */
export async function podStart(cluster: Cluster, org: Hosted) {
  const { client } = cluster
  const { spec } = (await cluster.pod(org)) as unknown as { spec: PodSpec }
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: CLAIM, namespace: DAEMONS },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '64Mi' } } },
  } as Named
  // The default policy of the namespace admits nobody, not even this test, so the pod needs a policy of its own.
  const policy = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: NAME, namespace: DAEMONS },
    spec: {
      podSelector: { matchLabels: LABELS },
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ protocol: 'TCP', port: PROBE_PORT }] }],
    },
  } as Named
  await applyObject(client, claim)
  await applyObject(client, policy)
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    // The admission policy requires that every pod names its daemon.
    metadata: { name: NAME, namespace: DAEMONS, labels: LABELS },
    spec: withoutRelay(spec),
  } as Named
  const path = pathOf(kinds.pod, DAEMONS, NAME)

  return {
    async measure(): Promise<number> {
      const since = systemClock.monotonic()
      await client.request({ method: 'POST', path: pathOf(kinds.pod, DAEMONS), body: pod })
      let ip: string | undefined
      const isReady = async () => {
        ip ??= (await client.request<ClusterPod>({ method: 'GET', path })).status.podIP
        if (ip === undefined) return false
        const answer = await fetch(`http://${ip}:${PROBE_PORT}/ready`).catch(() => undefined)
        return answer?.status === 200
      }
      await until('the pod is ready', isReady, { everyMs: 10, withinMs: 60_000 })
      const tookMs = systemClock.monotonic() - since
      await deleteObject(client, pod)
      return tookMs
    },
    remove: async () => {
      await deleteObject(client, claim)
      await deleteObject(client, policy)
    },
  }
}

function withoutRelay({ nodeName: _node, hostname: _host, ...spec }: PodSpec): object {
  return {
    ...spec,
    containers: spec.containers.map(({ env = [], volumeMounts = [], ...container }) => ({
      ...container,
      env: env.filter(({ name }) => !RELAY.has(name)),
      volumeMounts: volumeMounts.filter(({ name }) => name !== 'relay'),
    })),
    volumes: (spec.volumes ?? [])
      .filter(({ name }) => name !== 'relay')
      .map((volume) =>
        volume.persistentVolumeClaim === undefined
          ? volume
          : { ...volume, persistentVolumeClaim: { claimName: CLAIM } },
      ),
  }
}
