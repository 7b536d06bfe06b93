import { expect, it } from 'vitest'
import { podMachine, type Pod } from './pod-machine.ts'

const NOW = new Date('2026-11-21T10:00:00.000Z')
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000).toISOString()

type Container = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number]
type Case = {
  createdAt?: string
  ready?: string
  scheduled?: string
  scheduledAt?: string
  deleted?: string
  reason?: string
  phase?: string
  container?: Partial<Container>
}

function pod({
  createdAt = ago(600),
  ready,
  scheduled,
  scheduledAt,
  deleted,
  reason,
  phase = 'Running',
  container,
}: Case): Pod {
  return {
    metadata: { name: 'org-a-0', creationTimestamp: createdAt, ...(deleted && { deletionTimestamp: deleted }) },
    spec: {
      containers: [
        { name: 'sidecar', image: 'other' },
        { name: 'svcd', image: 'image' },
      ],
    },
    status: {
      phase,
      ...(reason && { reason }),
      conditions: [
        ...(ready ? [{ type: 'Ready', status: ready }] : []),
        ...(scheduledAt ? [{ type: 'PodScheduled', status: 'True', lastTransitionTime: scheduledAt }] : []),
        ...(scheduled ? [{ type: 'PodScheduled', status: scheduled, message: '0 of 3 nodes' }] : []),
      ],
      ...(container && { containerStatuses: [{ name: 'svcd', restartCount: 0, ready: false, ...container }] }),
    },
  }
}

const waiting = (reason: string, restartCount = 0): Partial<Container> => ({
  restartCount,
  state: { waiting: { reason } },
})
const running = { running: { startedAt: ago(10) } }
const crashed = { terminated: { exitCode: 1 } }

const ended = (exitCode: number, reason = 'Error') => ({ terminated: { exitCode, reason } })
const shutDown: Case = { phase: 'Failed', reason: 'Terminated', container: { state: ended(0, 'Completed') } }

const cases: [string, Case, string, string | undefined][] = [
  ['a pod that is ready', { ready: 'True', container: { ready: true, state: running } }, 'ready', undefined],
  ['a pod that starts', { ready: 'False', container: { state: running } }, 'starting', undefined],
  ['a pod that nobody has looked at', { createdAt: ago(300), phase: 'Pending' }, 'starting', undefined],
  [
    'a pod that is being prepared',
    { createdAt: ago(300), phase: 'Pending', container: waiting('ContainerCreating') },
    'starting',
    undefined,
  ],
  [
    'a pod that is being prepared for too long',
    { createdAt: ago(301), phase: 'Pending', container: waiting('ContainerCreating') },
    'stuck',
    undefined,
  ],
  ['a daemon that has just crashed', { container: { restartCount: 1, state: crashed } }, 'starting', 'Crashed'],
  ['a pod without a node', { phase: 'Pending', scheduled: 'False' }, 'stuck', 'Unschedulable'],
  ['a pod that is going', { ready: 'True', deleted: ago(10) }, 'stopping', undefined],
  ['a pod that should be gone for a minute', { ready: 'True', deleted: ago(61) }, 'lost', undefined],
  ['a pod of a node that is silent', { ready: 'Unknown' }, 'lost', undefined],
  ['a pod that its node has lost', { ready: 'False', reason: 'NodeLost' }, 'lost', undefined],
  ['an evicted pod', { phase: 'Failed', reason: 'Evicted' }, 'stuck', 'PodFailed'],
  [
    'an image that could not be pulled once',
    { container: waiting('ErrImagePull') },
    'stuck',
    'ImageNotPulled, external',
  ],
  [
    'an image that cannot be pulled, yet',
    { scheduledAt: ago(150), container: waiting('ImagePullBackOff') },
    'stuck',
    'ImageNotPulled, external',
  ],
  [
    'an image that could not be pulled for minutes',
    { scheduledAt: ago(151), container: waiting('ImagePullBackOff') },
    'stuck',
    'ImageNotPulled, fatal, external',
  ],
  [
    'an image that no node may pull',
    { container: waiting('ErrImageNeverPull') },
    'stuck',
    'ImageNotPulled, fatal, external',
  ],
  [
    'an image that cannot be pulled',
    { container: waiting('ImagePullBackOff') },
    'stuck',
    'ImageNotPulled, fatal, external',
  ],
  ['an image that is no image', { container: waiting('InvalidImageName') }, 'stuck', 'ImageNotPulled, fatal'],
  ['a container that is refused', { container: waiting('CreateContainerConfigError') }, 'stuck', 'ContainerRefused'],
  ['a first crash', { container: { ...waiting('CrashLoopBackOff', 1), lastState: crashed } }, 'stuck', 'Crashed'],
  [
    'a third crash',
    { container: { ...waiting('CrashLoopBackOff', 3), lastState: crashed } },
    'stuck',
    'Crashed, fatal',
  ],
  [
    'a daemon that ended in order, unasked',
    { container: { ...waiting('CrashLoopBackOff', 1), lastState: ended(0, 'Completed') } },
    'stuck',
    'EndedByItself',
  ],
  [
    'a daemon that ends at once each time, in order',
    { container: { ...waiting('CrashLoopBackOff', 3), lastState: ended(0, 'Completed') } },
    'stuck',
    'EndedByItself, fatal',
  ],
  [
    'a daemon that ended as it was asked to',
    { phase: 'Succeeded', deleted: ago(-30), container: { state: ended(0, 'Completed') } },
    'stopping',
    undefined,
  ],
  [
    'a daemon that had to be killed to end',
    { phase: 'Failed', deleted: ago(-1), container: { state: ended(137) } },
    'stopping',
    'StopForced',
  ],
  [
    'a daemon that failed while it was stopping',
    { phase: 'Failed', deleted: ago(-30), container: { state: ended(1) } },
    'stopping',
    'Crashed',
  ],
  ['a daemon of a node that is shut down in order', shutDown, 'stuck', 'PodFailed'],
  [
    'a daemon that ran out of memory',
    {
      container: { restartCount: 1, state: running, lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } } },
    },
    'starting',
    'OutOfMemory',
  ],
  [
    'a daemon that got over its crash',
    {
      ready: 'True',
      container: { restartCount: 1, ready: true, state: { running: { startedAt: ago(61) } }, lastState: crashed },
    },
    'ready',
    undefined,
  ],
]

it.each(cases)('%s', (_what, given, state, problem) => {
  const machine = podMachine(pod(given), NOW)
  expect(machine).toMatchObject({ id: 'org-a-0', image: 'image', state })
  const { reason, fatal, external } = machine.problem ?? {}
  expect(reason && [reason, fatal && 'fatal', external && 'external'].filter(Boolean).join(', ')).toBe(problem)
})

it.each([
  [0, 'Completed', 'The daemon ended by itself with exit code 0, 1 restarts.'],
  [78, 'Error', 'The daemon ended with exit code 78, 1 restarts.'],
  [137, 'Error', 'The daemon was ended by signal 9, 1 restarts.'],
  [137, 'OOMKilled', 'The daemon ran out of memory, 1 restarts.'],
])('says of exit code %d (%s): %s', (exitCode, reason, message) => {
  const container = { ...waiting('CrashLoopBackOff', 1), lastState: ended(exitCode, reason) }
  expect(podMachine(pod({ container }), NOW).problem?.message).toBe(message)
})

it('is ready since its container runs and its probe passes, whichever came last', () => {
  const machineReadySince = (lastTransitionTime: string, status = 'True') => {
    const { metadata, spec } = pod({})
    const conditions = [{ type: 'Ready', status, lastTransitionTime }]
    const containerStatuses = [{ name: 'svcd', restartCount: 0, ready: true, state: running }]
    return podMachine({ metadata, spec, status: { conditions, containerStatuses } } as Pod, NOW).readySince
  }
  const endOfSecond = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000 + 999)
  expect(machineReadySince(ago(2))).toEqual(endOfSecond(2))
  expect(machineReadySince(ago(60))).toEqual(endOfSecond(10))
  expect(machineReadySince(ago(2), 'False')).toBeUndefined()
})
