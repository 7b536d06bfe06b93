import { createHash } from 'node:crypto'
import { PROBE_TOKEN_FILE, relayKeyFiles } from '@svc/shared/wire/daemon/daemon-status.ts'
import { GROUP, KIND, VERSION, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { mebibytes } from '@svc/shared/wire/quantity.ts'
import type { KubeObject } from '@svc/kube/src/kinds.ts'
import { podTemplate, type PodSettings } from './pod-template.ts'
import { childLabels, childNames, INPUT_HASH_ANNOTATION } from './names.ts'
import { networkPolicy, type Reach } from './network-policy.ts'

/** The part of the operator's configuration that concerns every daemon's children. */
export type ChildSettings = PodSettings & { reach: Reach }

type Child = KubeObject & Record<string, unknown>

/** Service, account and network policy of a daemon: they can be corrected at any time without touching the pod. */
export function fixtures(daemon: ManagedDaemon, settings: ChildSettings): Child[] {
  const names = childNames(daemon.name)
  const port = { name: 'probe', port: settings.probePort, targetPort: 'probe' }
  return [
    child(daemon, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      name: names.serviceAccount,
      automountServiceAccountToken: false,
    }),
    child(daemon, {
      apiVersion: 'v1',
      kind: 'Service',
      name: names.service,
      // Headless: it gives the pod its name. Only the status listener accepts connections.
      spec: { clusterIP: 'None', selector: childLabels(daemon), ports: [port], publishNotReadyAddresses: true },
    }),
    child(daemon, {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      name: names.networkPolicy,
      spec: networkPolicy({ podLabels: childLabels(daemon), probePort: settings.probePort, reach: settings.reach }),
    }),
  ]
}

/** The running workload with a template for that image. */
export function statefulSet(daemon: ManagedDaemon, image: string, settings: ChildSettings): Child {
  const names = childNames(daemon.name)
  return child(daemon, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    name: names.workload,
    spec: {
      replicas: 1,
      serviceName: names.service,
      podManagementPolicy: 'Parallel',
      revisionHistoryLimit: 2,
      // The operator alone replaces pods, after a flush.
      updateStrategy: { type: 'OnDelete' },
      selector: { matchLabels: childLabels(daemon) },
      template: withHash(podTemplate(daemon, image, settings)),
    },
  })
}

const withHash = ({ metadata, spec }: ReturnType<typeof podTemplate>) => {
  const annotations = { ...metadata.annotations, [INPUT_HASH_ANNOTATION]: inputHash({ metadata, spec }) }
  return { metadata: { ...metadata, annotations }, spec }
}

/** The volume of a daemon. Under `retain` it has no owner, so nothing deletes it. */
export function volumeClaim(daemon: ManagedDaemon, sizeBytes: number): Child {
  const { className } = daemon.spec.storage
  return child(daemon, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    name: childNames(daemon.name).volume,
    owned: daemon.spec.deletionPolicy === 'delete',
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...(className && { storageClassName: className }),
      resources: { requests: { storage: mebibytes(sizeBytes) } },
    },
  })
}

/** The Secret of a daemon: keys by generation, and the current one under the names that are mounted. */
export function secret(daemon: ManagedDaemon, data: Record<string, string>): Child {
  return child(daemon, {
    apiVersion: 'v1',
    kind: 'Secret',
    name: childNames(daemon.name).secret,
    type: 'Opaque',
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
  })
}

/** Names inside the Secret: the mounted ones, and one for each key. */
export const secretFields = {
  token: relayKeyFiles.token,
  generation: relayKeyFiles.generation,
  probeToken: PROBE_TOKEN_FILE,
  held: (generation: number) => `key-${generation}`,
} as const

/**
 * The resource as the owner of its children. They do not block its deletion, because its finalizer holds it until they
 * are gone: clusters that enforce owner references (OpenShift) would ask the operator for one more right.
 */
export function ownerReference({ name, uid }: ManagedDaemon) {
  return { apiVersion: `${GROUP}/${VERSION}`, kind: KIND, name, uid, controller: true }
}

type Body = { apiVersion: string; kind: string; name: string; owned?: boolean; [field: string]: unknown }

function child(daemon: ManagedDaemon, { apiVersion, kind, name, owned = true, ...content }: Body): Child {
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      labels: childLabels(daemon),
      annotations: { [INPUT_HASH_ANNOTATION]: inputHash(content) },
      ...(owned && { ownerReferences: [ownerReference(daemon)] }),
    },
    ...content,
  }
}

/**
 * Hash of the desired content. It decides about drift, not the object that the API returns, because defaults are no
 * drift.
 */
function inputHash(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16)
}
