import type { KubeObject } from '@svc/kube/src/kinds.ts'
import { INPUT_HASH_ANNOTATION } from '../../managed-daemon/names.ts'
import type { Pod } from '../../managed-daemon/pod-machine.ts'

/** What is kept in memory of a child: enough to judge it, little enough for a thousand daemons. */
export type ChildObject = KubeObject & {
  spec?: {
    replicas?: number
    template?: { spec: { containers: { name: string; image?: string }[] } }
    resources?: { requests?: { storage?: string } }
  }
  status?: { capacity?: { storage?: string } }
}

function trimMetadata({ metadata }: KubeObject): KubeObject['metadata'] {
  const { name, uid, resourceVersion, creationTimestamp, deletionTimestamp, labels, annotations, ownerReferences } =
    metadata
  const hash = annotations?.[INPUT_HASH_ANNOTATION]
  return {
    name,
    uid,
    resourceVersion,
    creationTimestamp,
    deletionTimestamp,
    labels,
    ownerReferences,
    ...(hash !== undefined && { annotations: { [INPUT_HASH_ANNOTATION]: hash } }),
  }
}

export function trimChild(object: ChildObject): ChildObject {
  const { spec, status } = object
  const containers = spec?.template?.spec.containers.map(({ name, image }) => ({ name, image }))
  return {
    metadata: trimMetadata(object),
    spec: {
      replicas: spec?.replicas,
      ...(containers && { template: { spec: { containers } } }),
      ...(spec?.resources && { resources: { requests: spec.resources.requests } }),
    },
    ...(status?.capacity && { status: { capacity: { storage: status.capacity.storage } } }),
  }
}

export function trimPod(pod: Pod): Pod {
  const { podIP, phase, reason, message, conditions, containerStatuses } = pod.status ?? {}
  return {
    metadata: trimMetadata(pod),
    spec: { containers: pod.spec?.containers.map(({ name, image }) => ({ name, image })) ?? [] },
    status: {
      podIP,
      phase,
      reason,
      message,
      conditions: conditions
        ?.filter(({ type }) => type === 'Ready' || type === 'PodScheduled')
        .map(({ type, status, reason, message, lastTransitionTime }) => ({
          type,
          status,
          reason,
          message,
          lastTransitionTime,
        })),
      containerStatuses: containerStatuses?.map(({ name, restartCount, ready, state, lastState }) => ({
        name,
        restartCount,
        ready,
        state,
        lastState,
      })),
    },
  }
}
