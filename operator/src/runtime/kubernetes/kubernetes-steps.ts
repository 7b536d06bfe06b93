import type { Clock } from '@svc/shared/kit/clock.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { mebibytes } from '@svc/shared/wire/quantity.ts'
import {
  fixtures,
  ownerReference,
  statefulSet,
  volumeClaim,
  type ChildSettings,
} from '../../managed-daemon/children.ts'
import { childNames, FIELD_MANAGER, inputHashOf } from '../../managed-daemon/names.ts'
import { podMachine, type Pod } from '../../managed-daemon/pod-machine.ts'
import { StepRefused, type RuntimeStep } from '../../managed-daemon/step.ts'
import { kinds, pathOf, type Kind, type KubeObject } from '@svc/kube/src/kinds.ts'
import type { KubeClient } from '@svc/kube/src/kube-client.ts'
import { absentOn404, isKubeError, lacksRights } from '@svc/kube/src/kube-error.ts'
import type { ChildKind, ChildObjects } from './child-objects.ts'
import type { ChildObject } from './trim-objects.ts'
import type { createRelaySecrets } from './relay-secret.ts'
import { ownTemplate, type ManagedFields } from './own-template.ts'
import { hasContent, imageOf, templateOf } from './workload-template.ts'

type Deps = {
  client: KubeClient
  clock: Pick<Clock, 'now'>
  namespace: string
  settings: ChildSettings
  objects: ChildObjects
  secrets: ReturnType<typeof createRelaySecrets>
  flush: (daemon: ManagedDaemon) => Promise<void>
}

/** The desired object, and the existing one of ours, if any. */
type Application = { kind: ChildKind; object: KubeObject; before: ChildObject | undefined }

type WithManagers = KubeObject & { metadata: { managedFields?: ManagedFields[] } }

const fixtureKinds = { Service: 'service', ServiceAccount: 'serviceAccount', NetworkPolicy: 'networkPolicy' } as const

const isOurs = (daemon: ManagedDaemon, { metadata }: KubeObject) =>
  metadata.ownerReferences?.some(({ uid }) => uid === ownerReference(daemon).uid) ?? false

/**
 * How each step is done with objects of the API. Each names the object's uid or version, so that nothing foreign is
 * changed.
 */
export function createKubernetesSteps({ client, clock, namespace, settings, objects, secrets, flush }: Deps) {
  const pathFor = (kind: Kind, name: string) => pathOf(kind, namespace, name)

  const owned = async (daemon: ManagedDaemon, kind: ChildKind, name: string): Promise<ChildObject | undefined> => {
    const found = await objects.find(kind, name)
    if (found !== undefined && !isOurs(daemon, found)) throw new Error(`${kind} ${name} is there already, and not ours`)
    return found
  }

  /** Server-side apply. It overrides an object of ours; where there was none, a foreign object created first wins. */
  const apply = async ({ kind, object, before }: Application) => {
    const { name } = object.metadata
    const uid = before?.metadata.uid
    const body = { ...object, metadata: { ...object.metadata, namespace, ...(uid && { uid }) } }
    const query = { fieldManager: FIELD_MANAGER, force: String(before !== undefined) }
    const path = pathFor(kinds[kind], name)
    if (kind === 'statefulSet' && before !== undefined) await takeTemplate(path, uid)
    objects.wrote(kind, await client.request<ChildObject>({ method: 'PATCH', patch: 'apply', path, query, body }))
  }

  /** What others have set in the template goes with the apply that follows. */
  const takeTemplate = async (path: string, uid: string | undefined) => {
    const { metadata } = await client.request<WithManagers>({ method: 'GET', path })
    const managedFields = ownTemplate(metadata.managedFields ?? [])
    if (managedFields === undefined) return
    const body = { metadata: { uid, resourceVersion: metadata.resourceVersion, managedFields } }
    await client.request({ method: 'PATCH', patch: 'merge', path, query: { fieldManager: FIELD_MANAGER }, body })
  }

  const patch = async (kind: ChildKind, { metadata }: ChildObject, change: Record<string, unknown>) => {
    const { name, resourceVersion } = metadata
    const extra = (change.metadata ?? {}) as Record<string, unknown>
    const body = { ...change, metadata: { ...extra, resourceVersion } }
    const query = { fieldManager: FIELD_MANAGER }
    const path = pathFor(kinds[kind], name)
    objects.wrote(kind, await client.request<ChildObject>({ method: 'PATCH', patch: 'merge', path, query, body }))
  }

  type Identity = { uid?: string; resourceVersion?: string }
  const remove = async (kind: Kind, found: KubeObject | undefined, identity?: Identity) => {
    if (found === undefined) return undefined
    const { name, uid } = found.metadata
    const preconditions = identity ?? { uid }
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions, propagationPolicy: 'Background' }
    return absentOn404(client.request<KubeObject>({ method: 'DELETE', path: pathFor(kind, name), body }))
  }

  const removePod = async (pod: Pod, identity?: Identity) => {
    if (pod.metadata.deletionTimestamp !== undefined) return
    const going = await remove(kinds.pod, pod, identity)
    // With a grace period, the response is the pod in deletion. Store it, so that no pass asks the pod to flush again.
    // A pod without a node is gone at once.
    if (going?.kind === 'Pod' && going.metadata.deletionGracePeriodSeconds) objects.wrotePod(going as Pod)
    else objects.lostPod(pod)
  }

  const ensureFixtures = async (daemon: ManagedDaemon) => {
    for (const wanted of fixtures(daemon, settings)) {
      const kind = fixtureKinds[wanted.kind as keyof typeof fixtureKinds]
      const found = await owned(daemon, kind, wanted.metadata.name)
      // Existing objects are not written again: an interrupted pass is continued, not restarted.
      if (inputHashOf(found) !== inputHashOf(wanted)) await apply({ kind, object: wanted, before: found })
    }
  }

  const ensureVolume = async (daemon: ManagedDaemon, sizeBytes: number) => {
    const wanted = volumeClaim(daemon, sizeBytes)
    const found = await objects.find('volumeClaim', wanted.metadata.name)
    if (found === undefined) return apply({ kind: 'volumeClaim', object: wanted, before: found })
    // Adopted, or moved to another deletion policy: only the owner changes.
    await patch('volumeClaim', found, { metadata: { ownerReferences: wanted.metadata.ownerReferences ?? null } })
  }

  const growVolume = async (daemon: ManagedDaemon, sizeBytes: number) => {
    const found = await objects.find('volumeClaim', childNames(daemon.name).volume)
    if (found === undefined) throw new Error('there is no volume to grow')
    const change = { spec: { resources: { requests: { storage: mebibytes(sizeBytes) } } } }
    await patch('volumeClaim', found, change).catch((error: unknown) => {
      // A storage class that cannot grow, or a quota: a retry cannot succeed.
      if (isKubeError(error, 403, 422) && !lacksRights(error)) throw new StepRefused(error.message, { cause: error })
      throw error
    })
  }

  const startWorkload = async (daemon: ManagedDaemon, image: string) => {
    const object = statefulSet(daemon, image, settings)
    const before = await owned(daemon, 'statefulSet', object.metadata.name)
    // Only the count, as when it was stopped: somebody waits for a wake, and the API takes longer to apply a whole
    // template.
    if (before && hasContent(before, object)) return patch('statefulSet', before, { spec: { replicas: 1 } })
    await apply({ kind: 'statefulSet', object, before })
  }

  const rollWorkload = async (daemon: ManagedDaemon, image: string) => {
    const wanted = statefulSet(daemon, image, settings)
    const found = await owned(daemon, 'statefulSet', wanted.metadata.name)
    if (!found || !hasContent(found, wanted)) await apply({ kind: 'statefulSet', object: wanted, before: found })
    const written = await objects.find('statefulSet', wanted.metadata.name)
    const pod = await objects.findPod(childNames(daemon.name).machine)
    if (pod !== undefined && imageOf(pod, written, { daemon, settings }) !== image) await removePod(pod)
  }

  const renewWorkload = async (daemon: ManagedDaemon, image: string) => {
    const wanted = statefulSet(daemon, image, settings)
    const found = await owned(daemon, 'statefulSet', wanted.metadata.name)
    // The pod goes in a later pass: before its controller has seen the template, it would make the same pod again.
    if (!found || !hasContent(found, wanted)) return apply({ kind: 'statefulSet', object: wanted, before: found })
    const pod = await objects.findPod(childNames(daemon.name).machine)
    if (!pod || templateOf(pod, found) !== 'outdated' || podMachine(pod, clock.now()).state !== 'stuck') return
    const { uid, resourceVersion } = pod.metadata
    await removePod(pod, { uid, resourceVersion }).catch((error: unknown) => {
      if (!isKubeError(error, 409)) throw error
      return objects.refreshPod(pod) // it has changed, and may run now: the next pass decides again
    })
  }

  const stopWorkload = async (daemon: ManagedDaemon) => {
    const found = await owned(daemon, 'statefulSet', childNames(daemon.name).workload)
    // Only the count: the template is not rewritten while its pod still runs.
    if (found && found.spec?.replicas !== 0) await patch('statefulSet', found, { spec: { replicas: 0 } })
  }

  const removeChildren = async (daemon: ManagedDaemon, volume: 'retain' | 'delete') => {
    const names = childNames(daemon.name)
    const mine = (found: KubeObject | undefined) => (found && isOurs(daemon, found) ? found : undefined)
    await remove(kinds.statefulSet, mine(await objects.find('statefulSet', names.workload)))
    for (const kind of Object.values(fixtureKinds))
      await remove(kinds[kind], mine(await objects.find(kind, names[kind])))
    await remove(kinds.secret, mine((await secrets.read(daemon))?.object))
    if (volume === 'delete') await remove(kinds.volumeClaim, mine(await objects.find('volumeClaim', names.volume)))
  }

  return async (daemon: ManagedDaemon, step: RuntimeStep): Promise<void> => {
    switch (step.kind) {
      case 'ensure_fixtures':
        return ensureFixtures(daemon)
      case 'ensure_volume':
        return ensureVolume(daemon, step.sizeBytes)
      case 'grow_volume':
        return growVolume(daemon, step.sizeBytes)
      case 'add_key':
        return secrets.add(daemon, step.generation)
      case 'add_first_key':
        return secrets.addFirst(daemon, step.generation)
      case 'make_key_current':
        return secrets.makeCurrent(daemon, step.generation)
      case 'retire_keys':
        return secrets.retire(daemon, step.current)
      case 'start_workload':
        return startWorkload(daemon, step.image)
      case 'roll_workload':
        return rollWorkload(daemon, step.image)
      case 'renew_workload':
        return renewWorkload(daemon, step.image)
      case 'flush':
        return flush(daemon)
      case 'stop_workload':
        return stopWorkload(daemon)
      case 'remove_children':
        return removeChildren(daemon, step.policy)
    }
  }
}
