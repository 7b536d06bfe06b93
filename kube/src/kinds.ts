import { GROUP, PLURAL, VERSION } from '@svc/shared/wire/managed-daemon.ts'

/** A kind of object as the API addresses it. */
export type Kind = { apiVersion: string; kind: string; plural: string }

export const kinds = {
  managedDaemon: { apiVersion: `${GROUP}/${VERSION}`, kind: 'ManagedDaemon', plural: PLURAL },
  statefulSet: { apiVersion: 'apps/v1', kind: 'StatefulSet', plural: 'statefulsets' },
  pod: { apiVersion: 'v1', kind: 'Pod', plural: 'pods' },
  volumeClaim: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims' },
  secret: { apiVersion: 'v1', kind: 'Secret', plural: 'secrets' },
  service: { apiVersion: 'v1', kind: 'Service', plural: 'services' },
  serviceAccount: { apiVersion: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts' },
  networkPolicy: { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', plural: 'networkpolicies' },
  lease: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases' },
} as const satisfies Record<string, Kind>

/** API path of a kind's collection in a namespace, or of one object in it. */
export function pathOf({ apiVersion, plural }: Kind, namespace: string, name?: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const collection = `${root}/namespaces/${namespace}/${plural}`
  return name === undefined ? collection : `${collection}/${name}`
}

/** The fields that every object of the API has. */
export type KubeObject = {
  apiVersion?: string
  kind?: string
  metadata: {
    name: string
    namespace?: string
    uid?: string
    resourceVersion?: string
    generation?: number
    creationTimestamp?: string
    deletionTimestamp?: string
    deletionGracePeriodSeconds?: number
    labels?: Record<string, string>
    annotations?: Record<string, string>
    ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean }[]
    finalizers?: string[]
  }
}
