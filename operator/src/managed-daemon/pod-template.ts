import { PROBE_TOKEN_FILE, relayKeyFiles } from '@svc/shared/wire/daemon/daemon-status.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { cpuRequest } from './cpu-request.ts'
import { childLabels, childNames } from './names.ts'

export type PodSettings = {
  probePort: number
  /** The relay is reached without TLS inside the cluster. */
  insecureRelay: 'allowed' | 'refused'
  imagePullSecrets: readonly string[]
  nodeSelector: Record<string, string>
  /** What a pod reserves of its CPU limit. A daemon is idle most of the time, and reservations fill a node. */
  cpuRequestPercent: number
}

/** The container of a pod that serves the vaults. */
export const CONTAINER = 'svcd'

const HOME = '/home/svc'
const SECRET = '/var/run/svc/relay'
const TEMPORARY = 'tmp'
const USER = 10_001
const GRACE_SECONDS = 60

/** The pod of a daemon: restricted, read-only except for its volume, and never killed for being busy. */
export function podTemplate(daemon: ManagedDaemon, image: string, settings: PodSettings) {
  const { spec } = daemon
  const names = childNames(daemon.name)
  const { cpu, memory } = spec.resources
  const env = [
    { name: 'SVC_HOME', value: HOME },
    { name: 'SVC_LISTEN', value: 'tunnel-only' },
    { name: 'SVC_RELAY_URL', value: spec.relay.url },
    { name: 'SVC_RELAY_TOKEN_FILE', value: SECRET },
    { name: 'SVC_PROBE_PORT', value: String(settings.probePort) },
    { name: 'SVC_PROBE_HOST', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    ...(settings.insecureRelay === 'allowed' ? [{ name: 'SVC_ALLOW_INSECURE_RELAY', value: '1' }] : []),
  ]
  const probe = (path: string) => ({ httpGet: { path, port: 'probe' }, timeoutSeconds: 10 })

  return {
    metadata: {
      labels: childLabels(daemon),
      // Otherwise an autoscaler never removes a node that has a daemon: it takes the directory for data that would be
      // lost.
      annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes': TEMPORARY },
    },
    spec: {
      serviceAccountName: names.serviceAccount,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: GRACE_SECONDS,
      ...(settings.imagePullSecrets.length > 0 && {
        imagePullSecrets: settings.imagePullSecrets.map((name) => ({ name })),
      }),
      ...(Object.keys(settings.nodeSelector).length > 0 && { nodeSelector: settings.nodeSelector }),
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER,
        runAsGroup: USER,
        fsGroup: USER,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: CONTAINER,
          image,
          imagePullPolicy: 'IfNotPresent',
          env,
          ports: [{ name: 'probe', containerPort: settings.probePort, protocol: 'TCP' }],
          resources: {
            requests: { cpu: cpuRequest(cpu, settings.cpuRequestPercent), memory },
            limits: { cpu, memory },
          },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          // The first start may have to index everything; afterwards a daemon is killed only when it has been dead for
          // minutes.
          startupProbe: { ...probe('/health'), periodSeconds: 1, failureThreshold: 300 },
          readinessProbe: { ...probe('/ready'), periodSeconds: 3, failureThreshold: 3 },
          livenessProbe: { ...probe('/health'), periodSeconds: 30, failureThreshold: 10 },
          volumeMounts: [
            { name: 'home', mountPath: HOME },
            { name: 'relay', mountPath: SECRET, readOnly: true },
            { name: TEMPORARY, mountPath: '/tmp' },
          ],
        },
      ],
      volumes: [
        { name: 'home', persistentVolumeClaim: { claimName: names.volume } },
        {
          name: 'relay',
          secret: {
            secretName: names.secret,
            defaultMode: 0o440,
            items: [relayKeyFiles.token, relayKeyFiles.generation, PROBE_TOKEN_FILE].map((key) => ({ key, path: key })),
          },
        },
        { name: TEMPORARY, emptyDir: { sizeLimit: '64Mi' } },
      ],
    },
  }
}
