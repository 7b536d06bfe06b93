import { managedDaemonName, ORG_ID_LABEL, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'

export const FIELD_MANAGER = 'svc-operator'
export const INPUT_HASH_ANNOTATION = 'svcd.dev/input-hash'
export const COMPONENT_LABEL = 'app.kubernetes.io/name'

type Annotated = { metadata?: { annotations?: Record<string, string> } }

/** Hash of the content that an object or a template was written with; undefined if the operator did not write it. */
export const inputHashOf = (object: Annotated | undefined): string | undefined =>
  object?.metadata?.annotations?.[INPUT_HASH_ANNOTATION]

/** Names of everything of one daemon, derived from the name of its resource. */
export function childNames(name: string) {
  return {
    workload: name,
    machine: `${name}-0`,
    volume: `${name}-home`,
    secret: `${name}-relay`,
    service: name,
    serviceAccount: name,
    networkPolicy: name,
  }
}

/** Labels that the children of a daemon carry and that select its pod. */
export function childLabels(daemon: ManagedDaemon): Record<string, string> {
  return {
    [COMPONENT_LABEL]: 'svcd',
    'app.kubernetes.io/instance': daemon.name,
    'app.kubernetes.io/managed-by': FIELD_MANAGER,
    [ORG_ID_LABEL]: daemon.spec.orgId,
  }
}

/** True when the resource is named after its organization; another one is not trusted. */
export function hasOwnName(daemon: ManagedDaemon): boolean {
  return daemon.name === managedDaemonName(daemon.spec.orgId)
}
