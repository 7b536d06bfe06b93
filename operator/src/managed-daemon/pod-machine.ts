import type { KubeObject } from '@svc/kube/src/kinds.ts'
import type { Machine, MachineProblem } from './observed.ts'
import { describeEnd, stopProblem, type ContainerEnd } from './pod-end.ts'
import { CONTAINER } from './pod-template.ts'

/** A pod as the API writes it: times are texts. */
export type Pod = KubeObject & {
  spec?: { nodeName?: string; containers: { name: string; image?: string }[] }
  status?: {
    podIP?: string
    phase?: string
    reason?: string
    message?: string
    conditions?: PodCondition[]
    containerStatuses?: ContainerStatus[]
  }
}

type PodCondition = { type: string; status: string; lastTransitionTime?: string; reason?: string; message?: string }

type ContainerStatus = {
  name: string
  restartCount: number
  ready: boolean
  state?: {
    waiting?: { reason?: string; message?: string }
    running?: { startedAt: string }
    terminated?: ContainerEnd
  }
  lastState?: { terminated?: ContainerEnd }
}

const FATAL_RESTARTS = 3
const STEADY_MS = 60_000
const LOST_AFTER_MS = 60_000
// A registry that is down for a moment must not undo a roll.
const PULL_PATIENCE_MS = 150_000
// Attaching and checking a volume may take minutes.
const STUCK_AFTER_MS = 300_000
const STARTING_REASONS = ['ContainerCreating', 'PodInitializing']

/** What a pod says about its machine. */
export function podMachine(pod: Pod, now: Date): Machine {
  const container = daemonContainer(pod)
  const readySince = readySinceOf(pod, container)
  return {
    id: pod.metadata.name,
    image: containerImage(pod.spec),
    state: stateOf(pod, container, now),
    startedAt: new Date(pod.metadata.creationTimestamp ?? 0),
    ...(readySince && { readySince }),
    ...problemOf(pod, container, now),
  }
}

/** The image of the daemon's container in a pod or in a template of pods; empty if there is none. */
export const containerImage = (spec: Pick<NonNullable<Pod['spec']>, 'containers'> | undefined): string =>
  spec?.containers.find(({ name }) => name === CONTAINER)?.image ?? ''

/** True while the daemon's program runs, ready or not: it can be queried. */
export const isDaemonRunning = (pod: Pod): boolean => daemonContainer(pod)?.state?.running !== undefined

const daemonContainer = (pod: Pod) => pod.status?.containerStatuses?.find(({ name }) => name === CONTAINER)

function readySinceOf(pod: Pod, container: ContainerStatus | undefined): Date | undefined {
  const ready = conditionOf(pod, 'Ready')
  const startedAt = container?.state?.running?.startedAt
  if (ready?.status !== 'True' || startedAt === undefined) return undefined
  const since = Math.max(Date.parse(startedAt), Date.parse(ready.lastTransitionTime ?? startedAt))
  // The API truncates times to seconds. Taking the end of that second never overstates how long it has been ready.
  return new Date(since + 999)
}

const conditionOf = (pod: Pod, type: string) => pod.status?.conditions?.find((condition) => condition.type === type)

function stateOf(pod: Pod, container: ContainerStatus | undefined, now: Date): Machine['state'] {
  const ready = conditionOf(pod, 'Ready')
  const { deletionTimestamp } = pod.metadata
  // The deletion time already includes the grace period; a working kubelet would have ended the pod by then.
  const overdue = deletionTimestamp !== undefined && now.getTime() - Date.parse(deletionTimestamp) > LOST_AFTER_MS
  if (overdue || ready?.status === 'Unknown' || pod.status?.reason === 'NodeLost') return 'lost'
  if (deletionTimestamp !== undefined) return 'stopping'
  if (ready?.status === 'True') return 'ready'
  return isStuck(pod, container, now) ? 'stuck' : 'starting'
}

function isStuck(pod: Pod, container: ContainerStatus | undefined, now: Date): boolean {
  if (conditionOf(pod, 'PodScheduled')?.status === 'False' || pod.status?.phase === 'Failed') return true
  const { waiting, running, terminated } = container?.state ?? {}
  // A container that has just ended is about to start again.
  if (running || terminated) return false
  if (waiting?.reason !== undefined && !STARTING_REASONS.includes(waiting.reason)) return true
  return now.getTime() - Date.parse(pod.metadata.creationTimestamp ?? '') > STUCK_AFTER_MS
}

function problemOf(pod: Pod, container: ContainerStatus | undefined, now: Date): { problem?: MachineProblem } {
  const problem = (reason: string, message: string, severity: 'fatal' | 'passing') => ({
    problem: { reason, message, fatal: severity === 'fatal' },
  })
  const scheduled = conditionOf(pod, 'PodScheduled')
  if (scheduled?.status === 'False') return problem('Unschedulable', scheduled.message ?? '', 'passing')
  const { waiting, running, terminated } = container?.state ?? {}
  if (pod.metadata.deletionTimestamp !== undefined && terminated) return stopProblem(terminated)
  // Evicted, or ended with its node: the pod is replaced, whatever its container did last.
  if (pod.status?.phase === 'Failed')
    return problem('PodFailed', [pod.status.reason, pod.status.message].filter(Boolean).join(': '), 'passing')
  if (container === undefined) return {}

  const fatal = container.restartCount >= FATAL_RESTARTS ? 'fatal' : 'passing'
  if (waiting?.reason === 'InvalidImageName') return problem('ImageNotPulled', waiting.message ?? '', 'fatal')
  if (waiting?.reason?.startsWith('ErrImage') || waiting?.reason === 'ImagePullBackOff') {
    const onNodeSince = Date.parse(scheduled?.lastTransitionTime ?? pod.metadata.creationTimestamp ?? '')
    const isLasting = waiting.reason === 'ImagePullBackOff' && now.getTime() - onNodeSince > PULL_PATIENCE_MS
    const isFatal = isLasting || waiting.reason === 'ErrImageNeverPull'
    return { problem: { reason: 'ImageNotPulled', message: waiting.message ?? '', fatal: isFatal, external: true } }
  }
  if (waiting?.reason?.startsWith('CreateContainer') || waiting?.reason === 'RunContainerError')
    return problem('ContainerRefused', waiting.message ?? '', 'passing')

  const ended = terminated ?? container.lastState?.terminated
  const steady = running !== undefined && now.getTime() - Date.parse(running.startedAt) > STEADY_MS
  if (ended === undefined || (steady && container.ready)) return {}
  const { reason, words } = describeEnd(ended)
  return problem(reason, `The daemon ${words}, ${container.restartCount} restarts.`, fatal)
}
