import type { KubeClient } from '@svc/kube/src/kube-client.ts'
import type { KubeObject } from '@svc/kube/src/kinds.ts'
import { kinds, pathOf } from '@svc/kube/src/kinds.ts'
import { absentOn404 } from '@svc/kube/src/kube-error.ts'
import { applyObject, deleteObject } from './cluster-access.ts'
import type { ClusterPod } from './cluster.ts'
import { until } from './until.ts'

export const OUTSIDE = 'svc-outside'

type Options = {
  client: KubeClient
  name: string
  image: string
  args?: string[]
  command?: string[]
  environment?: Record<string, string>
}

/** Runs a pod in a namespace without any network policy, restricted and read-only like a daemon's own pod. */
export async function outsidePod({ client, name, image, args, command, environment = {} }: Options) {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
  await applyObject(client, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OUTSIDE, labels } })
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: OUTSIDE },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 5,
      securityContext: { runAsNonRoot: true, fsGroup: 10_001, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'it',
          image,
          imagePullPolicy: 'IfNotPresent',
          ...(command && { command }),
          ...(args && { args }),
          env: Object.entries(environment).map(([key, value]) => ({ name: key, value })),
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          volumeMounts: [
            { name: 'data', mountPath: '/data' },
            { name: 'tmp', mountPath: '/tmp' },
          ],
        },
      ],
      volumes: [
        { name: 'data', emptyDir: {} },
        { name: 'tmp', emptyDir: {} },
      ],
    },
  } as KubeObject
  const path = pathOf(kinds.pod, OUTSIDE, name)
  await deleteObject(client, object) // left by a run that was cut short
  // The service account of a new namespace is created a moment later; until then the namespace accepts no pod.
  await until(`pod ${name} is made`, () =>
    applyObject(client, object).then(
      () => true,
      () => false,
    ),
  )
  let pod: (ClusterPod & { status: { phase?: string } }) | undefined
  await until(
    `pod ${name} runs`,
    async () => {
      pod = await absentOn404(client.request<ClusterPod>({ method: 'GET', path }))
      return pod?.status.phase === 'Running' && pod.status.containerStatuses[0]?.state.running !== undefined
    },
    { everyMs: 200 },
  )
  return { ip: pod!.status.podIP, remove: () => deleteObject(client, object) }
}
