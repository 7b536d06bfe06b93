import type { KubeObject } from '@svc/kube/src/kinds.ts'
import { INPUT_HASH_ANNOTATION, inputHashOf } from '../../managed-daemon/names.ts'
import type { Pod } from '../../managed-daemon/pod-machine.ts'

/** What is kept in memory of a child: enough to judge it, little enough for a thousand daemons. */
export type ChildObject = KubeObject & {
  spec?: {
    replicas?: number
    template?: {
      metadata?: Pick<KubeObject['metadata'], 'annotations'>
      spec: { containers: { name: string; image?: string }[] }
    }
    resources?: { requests?: { storage?: string } }
  }
  status?: { capacity?: { storage?: string }; observedGeneration?: number; updateRevision?: string }
}

type Template = NonNullable<NonNullable<ChildObject['spec']>['template']>

function trimMetadata({ metadata }: KubeObject): KubeObject['metadata'] {
  const { name, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, labels, ownerReferences } =
    metadata
  return {
    name,
    uid,
    resourceVersion,
    generation,
    creationTimestamp,
    deletionTimestamp,
    labels,
    ownerReferences,
    ...trimAnnotations(metadata),
  }
}

function trimAnnotations(metadata: Pick<KubeObject['metadata'], 'annotations'>) {
  const hash = inputHashOf({ metadata })
  return hash === undefined ? {} : { annotations: { [INPUT_HASH_ANNOTATION]: hash } }
}

export function trimChild(object: ChildObject): ChildObject {
  const { spec, status } = object
  const { observedGeneration, updateRevision } = status ?? {}
  return {
    metadata: trimMetadata(object),
    spec: {
      replicas: spec?.replicas,
      ...(spec?.template && { template: trimTemplate(spec.template) }),
      ...(spec?.resources && { resources: { requests: spec.resources.requests } }),
    },
    ...(status?.capacity && { status: { capacity: { storage: status.capacity.storage } } }),
    ...(updateRevision !== undefined && { status: { observedGeneration, updateRevision } }),
  }
}

function trimTemplate({ metadata = {}, spec }: Template): Template {
  const containers = spec.containers.map(({ name, image }) => ({ name, image }))
  return { metadata: trimAnnotations(metadata), spec: { containers } }
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
