import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { statefulSet, type ChildSettings } from '../../managed-daemon/children.ts'
import { inputHashOf } from '../../managed-daemon/names.ts'
import type { Machine } from '../../managed-daemon/observed.ts'
import { containerImage, type Pod } from '../../managed-daemon/pod-machine.ts'
import type { ChildObject } from './trim-objects.ts'

// The controller of StatefulSets labels each pod with the revision of its template.
const REVISION_LABEL = 'controller-revision-hash'

/** The daemon that a StatefulSet belongs to, and the settings with which the operator writes it. */
type Owner = { daemon: ManagedDaemon; settings: ChildSettings }

/** The image in the template of a StatefulSet. */
export const templateImage = ({ spec }: ChildObject): string => containerImage(spec?.template?.spec)

/**
 * Whether a StatefulSet has the wanted content. Its template has a hash of its own: `kubectl rollout undo` brings an
 * old template back, and `kubectl set image` changes the image alone. Neither changes the hash of the StatefulSet. Pure.
 */
export function hasContent(found: ChildObject, wanted: ChildObject): boolean {
  return (
    inputHashOf(found) === inputHashOf(wanted) &&
    inputHashOf(found.spec?.template) === inputHashOf(wanted.spec?.template) &&
    templateImage(found) === templateImage(wanted)
  )
}

/** Whether a StatefulSet is as the operator would write it now with the image in its template. Pure. */
export const isCurrent = (found: ChildObject, daemon: ManagedDaemon, settings: ChildSettings): boolean =>
  hasContent(found, statefulSet(daemon, templateImage(found), settings))

/** Which template a pod was made from: the one that its StatefulSet has now, or an earlier one. Pure. */
export function templateOf({ metadata }: Pod, statefulSet: ChildObject | undefined): Machine['template'] {
  const { observedGeneration = 0, updateRevision } = statefulSet?.status ?? {}
  // Until the controller has seen the template, it would also make another pod from an earlier one.
  if (updateRevision === undefined || observedGeneration < (statefulSet?.metadata.generation ?? 0)) return 'unknown'
  return metadata.labels?.[REVISION_LABEL] === updateRevision ? 'current' : 'outdated'
}

/**
 * The image that a pod was made with. Clusters with a mirror change it while a pod is admitted: then it is the one in the
 * template, of which the pod was made. An image that somebody has set in the pod since counts as it is. Pure.
 */
export function imageOf(pod: Pod, found: ChildObject | undefined, { daemon, settings }: Owner): string {
  const isEdited = (pod.metadata.generation ?? 1) > 1
  if (found === undefined || isEdited) return containerImage(pod.spec)
  // Until the controller has seen the template, the hash tells as much, as long as nobody has changed the template.
  const hasItsHash = inputHashOf(pod) !== undefined && inputHashOf(pod) === inputHashOf(found.spec?.template)
  const isOfTemplate = templateOf(pod, found) === 'current' || (hasItsHash && isCurrent(found, daemon, settings))
  return isOfTemplate ? templateImage(found) : containerImage(pod.spec)
}
